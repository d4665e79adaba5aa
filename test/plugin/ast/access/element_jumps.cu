// Switches: a `break` that memory decides on decides what follows, their heads may change an index, and a label inside
// of a statement jumps over what was written before it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

// CHECK-LABEL: kernel breaks_by_memory {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void breaks_by_memory(const int *x, int *s, int n) {
  int i = threadIdx.x;
  switch (n) {
  case 0:
    if (x[i]) break;
    s[i] = 1;
  }
}
// CHECK-LABEL: kernel breaks_by_number {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void breaks_by_number(const int *x, int *s, int n, int m) {
  int i = threadIdx.x;
  switch (n) {
  case 0:
    if (m) break;
    s[i] = 1;
  }
}
// CHECK-LABEL: kernel head_moves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void head_moves(int *s, int n) {
  int j = threadIdx.x;
  s[j] = 0;
  switch (j++; n) {
  case 0: break;
  }
  s[j] += 1;
}
// CHECK-LABEL: kernel head_declares {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void head_declares(int *s, int n) {
  int j = threadIdx.x;
  s[j] = 0;
  switch (int q = j++) {
  case 0: s[q] = 1;
  }
  s[j] += 1;
}
// CHECK-LABEL: kernel head_writes {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void head_writes(int *s, int n) {
  int j = threadIdx.x;
  switch (s[j] = 0; n) {
  case 0: break;
  }
  s[j] += 1;
}
// CHECK-LABEL: kernel label_inside {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void label_inside(int *s, int n) {
  int i = threadIdx.x;
  switch (n) {
    {
      s[i] = 0;
    case 1:
      s[i] += 1;
    }
  }
}
// CHECK-LABEL: kernel label_in_branch {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void label_in_branch(int *s, int n, int m) {
  int i = threadIdx.x;
  switch (n) {
  case 0:
    if (m) {
      s[i] = 0;
    default:
      s[i] += 1;
    }
  }
}
// CHECK-LABEL: kernel label_in_loop {{.*}} keeps-globals{{$}}
// CHECK-NOT: ends
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void label_in_loop(int *s, const int *x, int n) {
  unsigned k = x[0];
  switch (n) {
  case 0:
    for (k = 0; k != 10; k += 2) {
      s[k] = 0;
    case 1:
      s[k] += 1;
    }
  }
}
// CHECK-LABEL: kernel loop_in_label {{.*}} ends keeps-globals{{$}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void loop_in_label(int *s, int n) {
  unsigned k = 0;
  switch (n) {
  case 0:
  case 2: {
    for (k = 0; k != 10; k += 2) {
      s[k] = 0;
      s[k] += 1;
    }
    break;
  }
  default: s[n] = 1;
  }
}
