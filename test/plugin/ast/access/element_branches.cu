// Writes on both sides of a branch that memory decides: the element is written in any case.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

// CHECK-LABEL: kernel either {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void either(float *s, const bool *mask) {
  int i = threadIdx.x;
  if (mask[i])
    s[i] = 0;
  else
    s[i] = 1;
}
// CHECK-LABEL: kernel leaves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
// CHECK: parameter t : {{.*}} 8 pointer write{{$}}
__global__ void leaves(float *s, float *t, const bool *mask, const float *x, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  if (mask && mask[i]) {
    s[i] = 0;
    t[i] = 0;
    return;
  }
  float sum = 0;
  for (int k = 0; k < 9; ++k)
    sum += x[i * 9 + k];
  if (sum > 1)
    sum = 1;
  s[i] = sum;
  t[i] = 2 * sum;
}
// CHECK-LABEL: kernel twice_in_one {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void twice_in_one(float *s, const float *x) {
  int i = threadIdx.x;
  if (x[i] > 0) {
    s[i] = x[i];
    s[i] = 2 * x[i];
  } else if (x[i] > -1) {
    s[i] = -x[i];
  } else {
    s[i] = 0;
  }
}
// CHECK-LABEL: kernel one_side {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void one_side(float *s, const bool *mask) {
  int i = threadIdx.x;
  if (mask[i])
    s[i] = 0;
}
// CHECK-LABEL: kernel another {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void another(float *s, const bool *mask) {
  int i = threadIdx.x;
  if (mask[i])
    s[i] = 0;
  else
    s[i + 64] = 1;
}
// CHECK-LABEL: kernel one_more {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void one_more(float *s, const bool *mask) {
  int i = threadIdx.x;
  if (mask[i]) {
    s[i] = 0;
    s[i + 64] = 0;
  } else {
    s[i] = 1;
  }
}
// CHECK-LABEL: kernel moved {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void moved(float *s, const bool *mask) {
  int i = threadIdx.x;
  if (mask[i]) {
    s[i] = 0;
  } else {
    i += 64;
    s[i] = 1;
  }
}
// CHECK-LABEL: kernel by_value {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void by_value(float *s, const int *x) {
  int i = x[threadIdx.x];
  if (x[threadIdx.x + 1])
    s[i] = 0;
  else
    s[i] = 1;
}
// CHECK-LABEL: kernel leaves_before {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void leaves_before(float *s, const bool *mask) {
  int i = threadIdx.x;
  if (mask[i])
    return;
  s[i] = 1;
}
// CHECK-LABEL: kernel leaves_within {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void leaves_within(float *s, const bool *mask, const float *x) {
  int i = threadIdx.x;
  if (mask[i]) {
    if (x[i] > 0)
      return;
    s[i] = 0;
    return;
  }
  s[i] = 1;
}
// CHECK-LABEL: kernel leaves_a_loop {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void leaves_a_loop(float *s, const bool *mask, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if (mask[k]) {
      s[i] = 0;
      return;
    }
    s[i] = 1;
  }
}
