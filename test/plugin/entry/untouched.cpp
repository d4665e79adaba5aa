// A unit without CUDA calls and without calls to other units of the program stays as it is, and so
// does the device side of one with kernels.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -O1 -c %s -o %t.plain.o
// RUN: %clangxx -O1 -c %s -o %t.instr.o %instr
// RUN: cmp %t.plain.o %t.instr.o
// RUN: %clangxx_cuda --cuda-device-only -x cuda -DKERNEL -O1 -S -o %t.plain.s %s
// RUN: %clangxx_cuda --cuda-device-only -x cuda -DKERNEL -O1 -S -o %t.instr.s %s %instr
// RUN: cmp %t.plain.s %t.instr.s
// With `off`, CUDA calls are left alone too.
// RUN: %clangxx_cuda --cuda-host-only -x cuda -DKERNEL -S -emit-llvm -o - %s %instr -fplugin-arg-gpuinstr-off | %FileCheck %s
// CHECK-NOT: gpuinstr_site
// CHECK: @cudaMalloc
// CHECK-NOT: gpuinstr_site
#include <cstdio>
int main() { std::puts("nothing"); }
#ifdef KERNEL
__global__ void k(int *p) { *p = 1; }
void run(int *p) {
  cudaMalloc((void **)&p, 4);
  k<<<1, 1>>>(p);
}
#endif
