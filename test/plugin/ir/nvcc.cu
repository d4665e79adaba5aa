// nvcc with clang as host compiler: launches, header templates, stub addresses.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %build_trace
// RUN: %nvcc %nvcc_instr %s -o %t -cudart shared
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %nvcc %nvcc_instr -O2 -std=c++17 -rdc=true %s -o %t -cudart shared
// RUN: %traced %t 2>&1 | %FileCheck %s
// A profile of the compiler's counts in both ways of the `?:` that a launch is.
// RUN: %nvcc %nvcc_instr -O2 -Xcompiler -fprofile-instr-generate %s -o %t -cudart shared
// RUN: env LLVM_PROFILE_FILE=%t.profraw %traced %t 2>&1 | %FileCheck %s
__global__ void plain(int *p) { *p = 1; }
template <class T> __global__ void filled(T *p, T v) { *p = v; }
// No name of a temporary file, which would differ from run to run.
// CHECK-NOT: tmpxft
// CHECK: register nvcc.cu
int main() {
  float *p;
  // CHECK: enter nvcc.cu:[[#@LINE+2]] op=4 cudaMalloc in main var=p
  // CHECK-NEXT: enter cuda_runtime.h:{{.*}} op=4 cudaMalloc in {{.*}}s2=10
  cudaMalloc(&p, 16);
  // CHECK: enter nvcc.cu:[[#@LINE+2]] op=19 plain in main
  // CHECK-NEXT: enter nvcc.cu:{{.*}} op=19 cudaLaunchKernel in plain {{.*}}flags=0x52 {{.*}}s12=100000002 s13=1 s14=100000003 s15=1 s16=4
  plain<<<2, 3, 4>>>(nullptr);
  // CHECK: enter nvcc.cu:[[#@LINE+2]] op=19 filled<float> in main
  // CHECK-NEXT: enter nvcc.cu:{{.*}} op=19 cudaLaunchKernel in {{.*}}filled<float>
  filled<<<1, 1>>>(p, 1.f);
  void (*f)(int *) = plain;
  // CHECK: enter nvcc.cu:[[#@LINE+2]] op=19
  // CHECK-NEXT: enter nvcc.cu:{{.*}} op=19 cudaLaunchKernel in plain
  f<<<1, 1>>>(nullptr);
}
