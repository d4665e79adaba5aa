// nvcc with clang 19 as host compiler.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc, clang19
// RUN: %build_trace
// RUN: %nvcc19 %nvcc_instr19 %s -o %t -cudart shared
// RUN: %traced %t 2>&1 | %FileCheck %s
__global__ void plain(int *p) { *p = 1; }
// CHECK: register nvcc19.cu
int main() {
  float *p;
  // CHECK: enter nvcc19.cu:[[#@LINE+2]] op=4 cudaMalloc in main var=p
  // CHECK-NEXT: enter cuda_runtime.h:{{.*}} op=4 cudaMalloc in {{.*}}s2=10
  cudaMalloc(&p, 16);
  // CHECK: enter nvcc19.cu:[[#@LINE+2]] op=19 plain in main
  // CHECK-NEXT: enter nvcc19.cu:{{.*}} op=19 cudaLaunchKernel in plain {{.*}}s12=100000002
  plain<<<2, 3, 4>>>(nullptr);
}
