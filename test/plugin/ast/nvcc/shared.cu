// Shared memory under nvcc: cudafe++ leaves an attribute of it. Another static variable may be any launch's.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %nvcc -std=c++17 -w %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 -rdc=true -w %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.rdc.o | %FileCheck %s
// RUN: %facts -std=c++17 -w -c %s -o %t.clang.o | %FileCheck %s
#include <cuda_runtime.h>

extern __shared__ float outside[];
template <class T> __device__ T total(T x) {
  __shared__ T all[256];
  all[threadIdx.x] = x;
  __syncthreads();
  return all[0];
}
// CHECK: kernel shares {{.*}} ends keeps-globals
// CHECK-NEXT: parameter p : const float * 8 pointer read{{$}}
// CHECK-NEXT: parameter q : float * 8 pointer write{{$}}
__global__ void shares(const float *p, float *q) {
  __shared__ float tile[256], other;
  extern __shared__ float dynamic[];
  tile[threadIdx.x] = p[threadIdx.x];
  dynamic[0] = other = outside[1] = 1;
  __syncthreads();
  q[threadIdx.x] = tile[255 - threadIdx.x] + total(p[0]) + dynamic[0] + other;
}
// CHECK: kernel countsCalls {{.*}} ends{{ ?$}}
__global__ void countsCalls(int *p) {
  static int calls;
  p[0] = ++calls;
}
// CHECK: kernel countsUnused {{.*}} ends{{ ?$}}
__global__ void countsUnused(int *p) {
  __attribute__((unused)) static int calls;
  p[0] = ++calls;
}
// CHECK: kernel countsQuietly {{.*}} ends{{ ?$}}
__global__ void countsQuietly(int *p) {
  [[maybe_unused]] static int calls;
  p[0] = ++calls;
}
// CHECK: kernel countsOnTheDevice {{.*}} ends{{ ?$}}
__global__ void countsOnTheDevice(int *p) {
  __attribute__((__unused__)) static __device__ int calls;
  p[0] = ++calls;
}
template <class T> __device__ T counted() {
  __shared__ T all[256];
  static T calls __attribute__((unused));
  return all[0] = ++calls;
}
// CHECK: kernel countsElsewhere {{.*}} ends{{ ?$}}
__global__ void countsElsewhere(int *p) { p[0] = counted<int>(); }
// CHECK: kernel looksUp {{.*}} ends keeps-globals
__global__ void looksUp(int *p) {
  static const int table[] = {1, 2, 3};
  p[0] = table[p[1]];
}

int main() {
  shares<<<1, 256, 4>>>(nullptr, nullptr);
  countsCalls<<<1, 1>>>(nullptr);
  countsUnused<<<1, 1>>>(nullptr);
  countsQuietly<<<1, 1>>>(nullptr);
  countsOnTheDevice<<<1, 1>>>(nullptr);
  countsElsewhere<<<1, 1>>>(nullptr);
  looksUp<<<1, 1>>>(nullptr);
}
// Other threads of the block set it, too.
// CHECK: kernel named
// CHECK-NEXT: parameter p : int * 8 pointer write anywhere
// CHECK-NEXT: parameter q : int * 8 pointer escape
__global__ void named(int *p, int *q) {
  __shared__ int at;
  __shared__ int *other;
  int own;
  own = at = threadIdx.x;
  other = q;
  __syncthreads();
  p[at] = 1;
  *other = own;
}
