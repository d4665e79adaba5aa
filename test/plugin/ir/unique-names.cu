// Internal functions get another symbol by -funique-internal-linkage-names, and by what turns that
// on: CUDA's own wrappers among them.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda --cuda-host-only %instr -O1 -c %s -o %t.o -fpseudo-probe-for-profiling -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
// RUN: %clangxx_cuda --cuda-host-only %instr %verify -O1 -c %s -o %t.o -funique-internal-linkage-names -fplugin-arg-gpuinstr-list-sites | %FileCheck %s
__global__ void step(float *x) { x[threadIdx.x] += 1; }
static __global__ void own(float *x) { x[threadIdx.x] += 1; }
static float *fill(float *weights) {
  // CHECK-DAG: [[#@LINE+1]]:{{.*}}: set cudaMemset(weights, 0, 1024) -> weights : float in fill
  cudaMemset(weights, 0, 1024);
  return weights;
}
void all() {
  float *weights;
  // CHECK-DAG: [[#@LINE+1]]:{{.*}}: alloc cudaMalloc(&weights, 1024) -> weights : float in all
  cudaMalloc(&weights, 1024);
  // CHECK-DAG: [[#@LINE+1]]:{{.*}}: launch step(fill(weights)) in all
  step<<<1, 32>>>(fill(weights));
  // CHECK-DAG: [[#@LINE+1]]:{{.*}}: launch own(weights) in all
  own<<<1, 32>>>(weights);
}
// CHECK-DAG: kernel step(x rw)
// CHECK-DAG: kernel own(x rw)
