// The address of a part of an object, as a lambda by reference in a closure takes it: what is done through it, is done
// to what the object's pointers lead to.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc --extended-lambda -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <cuda_runtime.h>

struct Pair {
  float *to, *from;
  __device__ Pair *self() { return this; }
  __device__ void throughSelf(int i) { self()->to[i] = from[i]; }
  __device__ void throughPlace(int i) {
    float **place = &to;
    (*place)[i] = from[i];
  }
  __device__ void throughCopy(int i) {
    float *found;
    memcpy(&found, &to, sizeof found);
    found[i] = from[i];
  }
};

#define KERNEL(name)                                                                               \
  template <class F> __global__ void name(F f) { f(threadIdx.x); }
KERNEL(writes_within)
KERNEL(returns_within)
KERNEL(hands_within)

// CHECK-DAG: kernel writes_within{{.*[[:space:]]+.*[[:space:]]+}}member at 0{{.*(write|escape|unknown)}}
// CHECK-DAG: kernel returns_within{{.*[[:space:]]+.*[[:space:]]+}}member at 0{{.*(write|escape|unknown)}}
// CHECK-DAG: kernel hands_within{{.*[[:space:]]+.*[[:space:]]+}}member at 0{{.*(write|escape|unknown)}}
void closures(float *p, float *q) {
  auto writes = [p, q] __device__(int i) {
    auto inner = [&](int k) { p[k] += q[k]; };
    inner(i);
  };
  writes_within<<<1, 8>>>(writes);
  auto returns = [p, q] __device__(int i) { [&] { return p; }()[i] = q[i]; };
  returns_within<<<1, 8>>>(returns);
  auto hands = [p, q] __device__(int i) {
    auto take = [](float *const &to, int k) { to[k] = 1; };
    take(p, i);
    p[i] += q[i];
  };
  hands_within<<<1, 8>>>(hands);
}

// CHECK-DAG: kernel through_self{{.*[[:space:]]+.*[[:space:]]+}}member at 0{{.*(write|escape|unknown)}}
__global__ void through_self(Pair f) { f.throughSelf(threadIdx.x); }
// CHECK-DAG: kernel through_place{{.*[[:space:]]+.*[[:space:]]+}}member at 0{{.*(write|escape|unknown)}}
__global__ void through_place(Pair f) { f.throughPlace(threadIdx.x); }
// CHECK-DAG: kernel through_copy{{.*[[:space:]]+.*[[:space:]]+}}member at 0{{.*(write|escape|unknown)}}
__global__ void through_copy(Pair f) { f.throughCopy(threadIdx.x); }
void pairs(Pair f) {
  through_self<<<1, 8>>>(f);
  through_place<<<1, 8>>>(f);
  through_copy<<<1, 8>>>(f);
}
