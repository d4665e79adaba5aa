// A runtime under another file name is as blind to its own tables: they hold every address, and are no variables of the
// program, so what leaks there is not held.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart
// RUN: cp %build/lib/libgpuinstr_rt.so %t/other.so
// RUN: %gpuinstr run --simulate --runtime %t/other.so -- %t/app 2>&1 | %FileCheck %s
// RUN: %gpuinstr run --simulate -- %t/app 2>&1 | %FileCheck %s
// CHECK: leak 100 B x1 small
// CHECK: HELD AT EXIT 300 B: kept
#include <cuda_runtime.h>

static float *kept;

int main() {
  float *small, *large;
  cudaMalloc(&small, 100);
  cudaMalloc(&large, 200);
  cudaFree(large);
  cudaMalloc(&kept, 300);
  return 0;
}
