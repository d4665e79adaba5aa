// Separate compilation of device code: the kernel of another unit is launched through its stub
// there.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda %instr %verify --cuda-host-only -fgpu-rdc -c %s -o %t.o -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
extern __global__ void elsewhere(int *p);
__global__ void here(int *p) {}
void run(int *p) {
  // CHECK: rdc.cu:[[#@LINE+1]]:{{.*}}: launch elsewhere({{.*}}p) in run [async]
  elsewhere<<<1, 1>>>(p);
  // CHECK: rdc.cu:[[#@LINE+1]]:{{.*}}: launch here({{.*}}p) in run [async]
  here<<<1, 1>>>(p);
}
