// What a thread has written before it reads it is no read of what was there; where memory decides
// whether or where something is written, it is written `anywhere`. Both compilers say the same.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

// CHECK-LABEL: kernel accumulate {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void accumulate(const float *x, float *s, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    s[j] = 0;
    for (int i = 0; i < n; i++)
      s[j] += x[i * n + j];
  }
}
// CHECK-LABEL: kernel reads_first {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void reads_first(const float *x, float *s, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) { s[j] *= 2; s[j] = 0; s[j] += x[j]; }
}
// CHECK-LABEL: kernel other_element {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void other_element(float *s, int n) {
  int j = threadIdx.x;
  s[j] = 0;
  s[j + 1] += 1;
}
// CHECK-LABEL: kernel index_moves {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void index_moves(float *s, int n) {
  int j = threadIdx.x;
  s[j] = 0;
  j++;
  s[j] += 1;
}
// CHECK-LABEL: kernel index_moves_in_loop {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void index_moves_in_loop(float *s, int n) {
  int j = threadIdx.x;
  s[j] = 0;
  for (int k = 0; k < n; ++k, j += 2)
    s[j] += 1;
}
// CHECK-LABEL: kernel sometimes {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void sometimes(float *s, int n) {
  int j = threadIdx.x;
  if (n > 3) s[j] = 0;
  s[j] += 1;
}
// CHECK-LABEL: kernel both {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void both(float *s, int n) {
  int j = threadIdx.x;
  if (n > 3) s[j] = 0; else s[j] = 1;
  s[j] += 1;
}
// CHECK-LABEL: kernel scatter {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void scatter(const int *where, float *s) { s[where[threadIdx.x]] = 1; }
// CHECK-LABEL: kernel by_data {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void by_data(const int *x, float *s) { if (x[threadIdx.x]) s[threadIdx.x] = 1; }
// CHECK-LABEL: kernel after_data {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void after_data(const int *x, float *s) { if (x[threadIdx.x]) return; s[threadIdx.x] = 1; }
// CHECK-LABEL: kernel csr {{.*}}
// CHECK: parameter y : {{.*}} 8 pointer write{{$}}
__global__ void csr(const int *row, const float *v, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = row[i]; j < row[i + 1]; ++j) sum += v[j];
  y[i] = sum;
}
// CHECK-LABEL: kernel in_place {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void in_place(float *s, int n) { int i = threadIdx.x; if (i < n) s[i] = s[i] + 1; }
// CHECK-LABEL: kernel whole {{.*}}
// CHECK: parameter p : {{.*}} 8 pointer write{{$}}
__global__ void whole(float4 *p, int n) { int i = threadIdx.x; p[i] = make_float4(0, 0, 0, 0); p[i].x += n; }
// CHECK-LABEL: kernel loop_own {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void loop_own(float *s, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { s[i] = 0; s[i]++; }
}
// CHECK-LABEL: kernel loop_after {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void loop_after(float *s, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) s[i] = 0;
  s[i] += 1;
}
// CHECK-LABEL: kernel hist {{.*}}
// CHECK: parameter h : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void hist(unsigned *h, const int *x) { atomicAdd(&h[x[threadIdx.x]], 1u); }
__device__ void put(float *s, int i, float v) { s[i] = v; }
// CHECK-LABEL: kernel through {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void through(float *s, const float *x) { put(s, threadIdx.x, 1.0f); }
// CHECK-LABEL: kernel through_data {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void through_data(float *s, const int *x) { put(s, x[threadIdx.x], 1.0f); }
// CHECK-LABEL: kernel switched {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void switched(float *s, int n) {
  int i = threadIdx.x;
  switch (n) { case 1: s[i] = 0; case 2: s[i] += 1; }
}
// CHECK-LABEL: kernel broken {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void broken(float *s, const int *x, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) { if (x[k]) break; s[i + k] = 0; }
}
// CHECK-LABEL: kernel two_dimensions {{.*}}
// CHECK: parameter A : {{.*}} 8 pointer write{{$}}
__global__ void two_dimensions(float (*A)[8], int n) {
  int i = threadIdx.x;
  A[i][1] = 0;
  for (int k = 0; k < n; ++k)
    A[i][1] += k;
}
// CHECK-LABEL: kernel aligned {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void aligned(float *s) {
  if (((size_t)s & 15) == 0)
    s[threadIdx.x] = 0;
}
// CHECK-LABEL: kernel as_number {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write escape unknown{{$}}
__global__ void as_number(float *s) {
  if (((size_t)s & ~size_t(15)) == 0)
    s[threadIdx.x] = 0;
}
__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int shared_index(const int *x) { return x[threadIdx.x]; }
// CHECK-LABEL: kernel by_callee {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void by_callee(float *s) { put(s, own_index(), 1.0f); }
// CHECK-LABEL: kernel by_memory {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void by_memory(float *s, const int *x) { put(s, shared_index(x), 1.0f); }
// CHECK-LABEL: kernel clamped {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void clamped(float *s, const float *x, float least) {
  int i = threadIdx.x;
  s[i] = x[i];
  if (s[i] < least) s[i] = least;
}
// CHECK-LABEL: kernel both_clamped {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void both_clamped(float *s, const float *x, int n) {
  int i = threadIdx.x;
  if (n > 3) s[i] = x[i]; else s[i] = 0;
  if (s[i] < 1) s[i] = 1;
}
// CHECK-LABEL: kernel clamps_another {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void clamps_another(float *s, const float *x) {
  int i = threadIdx.x;
  s[i] = x[i];
  if (x[i] < 1) s[i + 64] = 1;
}
// CHECK-LABEL: kernel clamps_what_data_wrote {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void clamps_what_data_wrote(float *s, const float *x) {
  int i = threadIdx.x;
  if (x[i] < 1) {
    s[i] = x[i];
    s[i] = 1;
  }
}
// CHECK-LABEL: kernel clamps_one_branch {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void clamps_one_branch(float *s, const float *x, int n) {
  int i = threadIdx.x;
  if (n > 3) s[i] = x[i];
  if (x[i] < 1) s[i] = 1;
}
