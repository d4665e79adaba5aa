// What a kernel does through each pointer in a closure that it gets by value and calls.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>

struct Grid {
  int width;
  float *data;
  __host__ __device__ float &operator()(int x, int y) const { return data[x + y * width]; }
};
__device__ float *kept;

// One kernel for each closure, named after what it does.
#define KERNEL(name)                                                                               \
  template <class F> __global__ void name(F f) { f(threadIdx.x); }
KERNEL(reads_others)
KERNEL(of_references)
KERNEL(nested)
KERNEL(copies_first)
KERNEL(keeps_one)
KERNEL(puts_behind)
KERNEL(follows)
KERNEL(moves)
KERNEL(chooses)
KERNEL(initialised)
KERNEL(unused_reference)
template <class F> __device__ void call(F f) { f(threadIdx.x); }
template <class F> __global__ void hands_on(F f) { call(f); }
template <class F> __global__ void through_reference(F f) {
  const F &same = f;
  same(threadIdx.x);
}
template <class F> struct Holder {
  F f;
  float *more;
};
template <class F> __global__ void of_a_struct(Holder<F> holder) { holder.f(threadIdx.x); }
template <class F> struct Behind {
  float *more;
  F f;
};
template <class F> __global__ void behind_another(Behind<F> holder) { holder.f(threadIdx.x); }
template <class F> Holder<F> held(F f, float *more) { return {f, more}; }
template <class F> Behind<F> behind(F f, float *more) { return {more, f}; }

void launches(Grid &to, const Grid &from, float *p, const float *q, float **pp, const int &by) {
  // CHECK-LABEL: kernel reads_others<
  // CHECK-NEXT: f : {{.*}} 24 aggregate read write{{( anywhere)? *$}}
  // CHECK-NEXT: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 16 read{{ *$}}
  reads_others<<<1, 32>>>([=] __device__(int i) { p[i + by] = q[i]; });
  // CHECK-LABEL: kernel of_references<
  // CHECK: at 8 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 24 read{{ *$}}
  of_references<<<1, 32>>>([=] __device__(int i) { to(i, 0) = from(i, 0); });
  // A closure within.
  // CHECK-LABEL: kernel nested<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 read{{ *$}}
  nested<<<1, 32>>>([=] __device__(int i) {
    auto put = [=](int j) { p[j] = q[j]; };
    put(i);
  });
  // CHECK-LABEL: kernel copies_first<
  // CHECK: at 8 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 24 read{{ *$}}
  copies_first<<<1, 32>>>([=] __device__(int i) {
    Grid mine = to;
    mine(i, 1) = from(i, 0);
  });
  // CHECK-LABEL: kernel keeps_one<
  // CHECK: at 0 {{.*}}escape
  // CHECK-NEXT: at 8 read{{ *$}}
  keeps_one<<<1, 32>>>([=] __device__(int i) {
    kept = p;
    p[0] = q[i];
  });
  // What is put behind one of them, or found there.
  // CHECK-LABEL: kernel puts_behind<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 write escape
  puts_behind<<<1, 32>>>([=] __device__(int i) {
    pp[i] = p;
    p[1] = 1;
  });
  // CHECK-LABEL: kernel follows<
  // CHECK: at 0 {{.*}}follow
  // CHECK-NEXT: at 8 read{{ *$}}
  follows<<<1, 32>>>([=] __device__(int i) { pp[i][0] = q[0]; });
  // A closure that changes what it holds is told of as a whole.
  // CHECK-LABEL: kernel moves<
  // CHECK: at 0 read write
  // CHECK-NEXT: at 8 read write
  moves<<<1, 32>>>([=] __device__(int i) mutable {
    p += i;
    p[0] = q[i];
  });
  // CHECK-LABEL: kernel chooses<
  // CHECK: at 0 read write
  // CHECK-NEXT: at 8 read{{ *$}}
  chooses<<<1, 32>>>([=] __device__(int i) {
    const float *x = i ? p : q;
    p[i] = x[i];
  });
  // CHECK-LABEL: kernel initialised<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 read{{ *$}}
  initialised<<<1, 32>>>([into = p, out = q] __device__(int i) { into[i] = out[i]; });
  // CHECK-LABEL: kernel unused_reference<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 read{{ *$}}
  // CHECK-NEXT: at 16{{ *$}}
  unused_reference<<<1, 32>>>([p, q, &to] __device__(int i) { p[i] = q[i]; });
  // CHECK-LABEL: kernel hands_on<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 read{{ *$}}
  hands_on<<<1, 32>>>([=] __device__(int i) { p[i] = q[i]; });
  // CHECK-LABEL: kernel through_reference<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 read{{ *$}}
  through_reference<<<1, 32>>>([=] __device__(int i) { p[i] = q[i]; });
  auto put = [=] __device__(int i) { p[i] = q[i]; };
  // CHECK-LABEL: kernel of_a_struct<
  // CHECK: at 0 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 8 read{{ *$}}
  // CHECK-NEXT: at 16{{ *$}}
  of_a_struct<<<1, 32>>>(held(put, p));
  // CHECK-LABEL: kernel behind_another<
  // CHECK: at 0{{ *$}}
  // CHECK-NEXT: at 8 write{{( anywhere)? *$}}
  // CHECK-NEXT: at 16 read{{ *$}}
  behind_another<<<1, 32>>>(behind(put, p));
}
