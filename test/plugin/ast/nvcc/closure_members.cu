// The pointers in an extended lambda under nvcc: the object that stands for it holds them in the
// order in which cudafe++ hands them over. Where that is not surely the closure's, none has a place.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %nvcc -std=c++17 --extended-lambda %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.txt
// RUN: %FileCheck --check-prefixes=CHECK,NVCC %s < %t.txt
// RUN: %facts -std=c++17 -c %s -o %t.clang.o > %t.clang.txt
// RUN: %FileCheck --check-prefixes=CHECK,CLANG %s < %t.clang.txt
#include <cuda_runtime.h>

struct Grid {
  int width;
  float *data;
  __host__ __device__ float &operator()(int x) const { return data[x]; }
};
#define KERNEL(name)                                                                               \
  template <class F> __global__ void name(F f) { f(threadIdx.x); }
KERNEL(in_order_of_use)
KERNEL(as_written)
KERNEL(of_an_expression)
KERNEL(of_an_object)
template <class F> struct Holder {
  float *more;
  F f;
};
template <class F> __global__ void held(Holder<F> holder) { holder.f(threadIdx.x); }
template <class F> Holder<F> hold(F f, float *more) { return {more, f}; }

// CHECK: kernel in_order_of_use<
// CHECK-NEXT: aggregate read write
// CHECK-NEXT: at 8 write
// CHECK-NEXT: at 16 read{{ *$}}
// CHECK-NEXT: at 24 read{{ *$}}
// CHECK: kernel as_written<
// CHECK-NEXT: aggregate read write
// CHECK-NEXT: at 0 read{{ *$}}
// CHECK-NEXT: at 16 write
// CHECK: kernel of_an_expression<
// CHECK-NEXT: aggregate read write
// NVCC-NOT: at 0
// CLANG-NEXT: at 0 write
// CLANG-NEXT: at 8 read{{ *$}}
// CHECK: kernel of_an_object<
// CHECK-NEXT: aggregate read write
// CHECK-NEXT: at 0 write
// CHECK-NEXT: at 8 read{{ *$}}
// CHECK: kernel held<
// CHECK-NEXT: aggregate read write
// CHECK-NEXT: at 0{{ *$}}
// CHECK-NEXT: at 8 write
// CHECK-NEXT: at 16 read{{ *$}}
void launches(Grid &to, float *p, const float *q) {
  in_order_of_use<<<1, 32>>>([=] __device__(int i) {
    if (i < to.width)
      to(i) = q[i] + p[i];
  });
  as_written<<<1, 32>>>([p, out = to] __device__(int i) { out(i) = p[i]; });
  of_an_expression<<<1, 32>>>([out = p + 1, q] __device__(int i) { out[i] = q[i]; });
}
struct Copied {
  float *out, *in;
  void go() {
    of_an_object<<<1, 32>>>([=, *this] __device__(int i) { out[i] = in[i]; });
  }
};
void goes(Copied c) { c.go(); }
void holds(float *p, const float *q) {
  held<<<1, 32>>>(hold([p, q] __device__(int i) { p[i] = q[i]; }, p));
}
