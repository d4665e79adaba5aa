// Variables that the head of a loop declares: memory decides where it writes.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

// CHECK: kernel whether {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
// CHECK-NEXT: parameter a : float * 8 pointer write anywhere{{$}}
// CHECK-NEXT: parameter x : const int * 8 pointer read{{$}}
// CHECK-NEXT: parameter n : int 4{{$}}
__global__ void whether(float *a, const int *x, int n) {
  while (int v = x[n]) {
    a[n] = v;
    --n;
  }
}
// CHECK: kernel where {{.*}} stub={{[^ ]+}} keeps-globals{{$}}
// CHECK-NEXT: parameter a : float * 8 pointer write anywhere{{$}}
// CHECK-NEXT: parameter x : const int * 8 pointer read{{$}}
// CHECK-NEXT: parameter n : int 4{{$}}
__global__ void where(float *a, const int *x, int n) {
  for (int i = 0; int v = x[i]; ++i)
    a[v] = n;
}
