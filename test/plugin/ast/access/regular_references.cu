// Writes at places that come by constant reference: regular where the caller passes numbers of its
// own that keep their value (regular_objects.cu).
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

struct Fill {
  float *p;
  int n;
  __device__ void operator()(const int &i) const { p[i] = 2; }
  __device__ void both(const int &i, const int &j) const { operator()(i + n * j); }
  __device__ void moves(const int &i, int &j) const { p[i] = j++; }
  __device__ void cheats(const int &i) const { p[const_cast<int &>(i)++] = 2; }
  __device__ float &at(const int &i, const long &j) const { return p[i + n * j]; }
};
// CHECK-LABEL: kernel functor {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void functor(int n, Fill f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}
// CHECK-LABEL: kernel temporary {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void temporary(int n, Fill f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    f.both(i + 1, 0);
}
// CHECK-LABEL: kernel member {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void member(int n, Fill f) { f.both(threadIdx.x, f.n); }
// CHECK-LABEL: kernel converted {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void converted(unsigned n, Fill f) { f(n); }
// CHECK-LABEL: kernel place {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void place(int n, Fill f) { f.at(n, threadIdx.x) = 4; }

template <class T> __device__ T rowOf(const T &i, const T &width) { return i * width; }
// CHECK-LABEL: kernel computed {{.*}}
// CHECK: parameter p : {{.*}} write{{$}}
__global__ void computed(int n, float *p) {
  const int i = threadIdx.x;
  p[rowOf(i, n)] = 1;
}
// CHECK-LABEL: kernel loop {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void loop(int n, Fill f) {
  auto body = [=](const int &i) { f.p[i] = 3; };
  for (int i = 0; i < n; ++i)
    body(i);
}

// ---- traps: memory, or somebody else, decides where ----
// CHECK-LABEL: kernel from_memory {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void from_memory(const int *index, Fill f) { f(index[threadIdx.x]); }
// CHECK-LABEL: kernel loaded {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void loaded(const int *index, Fill f) {
  int i = index[threadIdx.x];
  f(i);
}
// CHECK-LABEL: kernel same {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void same(int n, Fill f) { f.moves(n, n); }
// CHECK-LABEL: kernel cheated {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void cheated(int n, Fill f) { f.cheats(n); }
// CHECK-LABEL: kernel given_away {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void given_away(int n, int **out, Fill f) {
  *out = &n;
  f(n);
}
// CHECK-LABEL: kernel another_thread {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void another_thread(Fill f) {
  __shared__ int i;
  i = threadIdx.x;
  f(i);
}
// CHECK-LABEL: kernel changing {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void changing(volatile int *n, Fill f) {
  volatile int i = *n;
  f(static_cast<int>(i));
}
__device__ const int &first(const int *all) { return all[0]; }
// CHECK-LABEL: kernel referred {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void referred(const int *index, Fill f) { f(first(index)); }
struct Kept {
  const int &i;
  float *p;
  __device__ void put() const { p[i] = 1; }
};
// CHECK-LABEL: kernel held {{.*}}
// CHECK: parameter p : {{.*}} write anywhere{{$}}
__global__ void held(const int *index, float *p) {
  Kept kept{index[0], p};
  kept.put();
}
