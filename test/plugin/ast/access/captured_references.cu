// A closure that captures a reference by copy holds what it refers to, not the reference.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %FileCheck --check-prefix=EACH %s < %t.clang.txt
// RUN: %nvcc -std=c++17 --extended-lambda %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

struct Grid {
  int width;
  float *data;
  __host__ __device__ float &operator()(int x, int y) const { return data[x + y * width]; }
};
__device__ void fill(float *p) { *p = 1; }

// CHECK: kernel copies_references
// CHECK-NEXT: parameter to : {{.*}} write{{( anywhere)? *$}}
// CHECK-NEXT: parameter from : {{.*}} read{{ *$}}
__global__ void copies_references(float *to, const float *from, int n) {
  float *&target = to;
  const float *const &source = from;
  const int &count = n;
  auto put = [=](int i) {
    if (i < count)
      target[i] = source[i];
  };
  put(threadIdx.x);
}
// CHECK: kernel copies_grids
// CHECK-NEXT: parameter to : {{.*}} aggregate write{{( anywhere)? *$}}
// CHECK-NEXT: parameter from : {{.*}} aggregate read{{ *$}}
__global__ void copies_grids(Grid to, Grid from) {
  Grid &target = to;
  const Grid &source = from;
  auto put = [=](int i) { target(i, 0) = source(i, 0); };
  put(threadIdx.x);
}
// What is put into the copy is not followed.
// CHECK: kernel replaces_copy
// CHECK-NEXT: parameter grid : {{.*}}
// CHECK-NEXT: parameter other : {{.*}} escape
__global__ void replaces_copy(Grid grid, float *other) {
  Grid &mine = grid;
  auto put = [=](float *to) mutable {
    mine.data = to;
    *mine.data = 1;
  };
  put(other);
}
// A reference to a function stays one.
// CHECK: kernel calls_function
// CHECK-NEXT: parameter flag : {{.* (unknown|write)}}
__global__ void calls_function(float *flag) {
  void (&call)(float *) = fill;
  auto put = [=] { call(flag); };
  put();
}
// Nor does it tell what lies behind what a pointer leads to.
// CHECK: kernel follows
// CHECK-NEXT: parameter table : {{.*}} read unknown
__global__ void follows(float **table) {
  float **&all = table;
  auto put = [=](int i) { all[i][0] = 1; };
  put(threadIdx.x);
}

template <class F> __global__ void each(int n, F f) {
  if (threadIdx.x < n)
    f(threadIdx.x);
}
// EACH-DAG: parameter f : {{.*}} 32 aggregate read write{{( anywhere)? *$}}
void copied(Grid &to, const Grid &from) {
  each<<<1, 32>>>(8, [=] __device__(int i) { to(i, 0) = from(i, 0); });
}
// EACH-DAG: parameter f : {{.*}} 40 aggregate read write{{( anywhere)? *$}}
void shifted(Grid &to, const Grid &from, const int &by) {
  each<<<1, 32>>>(8, [=] __device__(int i) { to(i, 0) = from(i + by, 0); });
}
#ifndef __NVCC__ // which refuses it
// The addresses of the host's objects: what they hold is not known.
// EACH-DAG: parameter f : {{.*}} 16 aggregate {{.*}}unknown
void referred(Grid &to, const Grid &from) {
  each<<<1, 32>>>(8, [&] __device__(int i) { to(i, 0) = from(i, 0); });
}
#endif
