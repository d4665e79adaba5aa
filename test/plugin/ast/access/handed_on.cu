// What a kernel does through each pointer in an object that it hands on, copies, or makes.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 -rdc=true %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <cuda_runtime.h>
#include <utility>

struct Span {
  float *p;
  int n;
  __host__ __device__ float &operator[](int i) const { return p[i]; }
};
struct Body {
  Span in, out;
  __device__ void operator()(int i) const { out[i] = in[i]; }
};
template <class F> __device__ void byValue(F f, int i) { f(i); }
template <class F> __device__ void byReference(const F &f, int i) { byValue(f, i); }
template <class F> __device__ void forwarded(F &&f, int i) { std::forward<F>(f)(i); }
template <class F> __device__ void forEach(int n, F f) {
  for (int i = 0; i < n; ++i)
    byReference(f, i);
}
template <class F> struct Driver {
  int n;
  F functor;
  int *done;
  __device__ void operator()(int i) const {
    if (i < n)
      functor(i);
  }
};

// CHECK-LABEL: kernel hands_on
// CHECK: at 0 read{{$}}
// CHECK-NEXT: at 16 write{{( anywhere)?$}}
__global__ void hands_on(Body f, int n) {
  forEach(n, f);
  forwarded(f, n);
}
// CHECK-LABEL: kernel moves_on
// CHECK: at 0 read{{$}}
// CHECK-NEXT: at 16 write{{( anywhere)?$}}
__global__ void moves_on(Body f, int n) { forwarded(std::move(f), n); }
// CHECK-LABEL: kernel copies
// CHECK: at 0 read{{$}}
// CHECK-NEXT: at 16 write{{( anywhere)?$}}
__global__ void copies(Body f, int n) {
  const auto body = f;
  auto again = body;
  again(n);
}
// CHECK-LABEL: kernel drives
// CHECK: at 16 read{{$}}
// CHECK-NEXT: at 32 write{{( anywhere)?$}}
// CHECK-NEXT: at 48{{$}}
// CHECK-NEXT: at 56{{$}}
__global__ void drives(Driver<Driver<Body>> d, int i) {
  auto mine = d;
  byReference(mine, i);
}
// CHECK-LABEL: kernel makes
// CHECK-NEXT: p : {{.*}} aggregate write{{( anywhere)?$}}
// CHECK-NEXT: q : {{.*}} read{{$}}
__global__ void makes(Span p, float *q, int n) {
  Driver<Body> d{n, {{q, n}, p}, nullptr};
  d(n);
  byReference(Body{{q, n}, p}, n);
}
// CHECK-LABEL: kernel makes_closures
// CHECK-NEXT: p : {{.*}} aggregate write{{( anywhere)?$}}
// CHECK-NEXT: q : {{.*}} aggregate read{{$}}
__global__ void makes_closures(Span p, Span q, int n) {
  auto put = [=](int i) { p[i] = q[i]; };
  forEach(n, put);
  forEach(n, [=](int i) { put(i); });
}

// Told of as a whole: a copy that is given another pointer,
// CHECK-LABEL: kernel copy_changes
// CHECK: at 0 read write
// CHECK-NEXT: at 16 read write
__global__ void copy_changes(Body f, int n) {
  for (int i = 0; i < n; ++i) {
    auto body = f;
    body(i);
    body.out = f.in;
  }
}
// ... or is changed by who gets it,
__device__ void swaps(Body &f);
__device__ void points(Body &f) { f.out.p = f.in.p; }
// CHECK-LABEL: kernel changed_by_another
// CHECK: at 0 read write
// CHECK-NEXT: at 16 read write
__global__ void changed_by_another(Body f, int n) {
  Body body = f;
  points(body);
  body(n);
}
// CHECK-LABEL: kernel changed_out_of_sight
// CHECK: at 0 {{.*}}{{write|escape}}
// CHECK-NEXT: at 16 {{.*}}{{write|escape}}
__global__ void changed_out_of_sight(Body f, int n) {
  Body body = f;
  swaps(body);
  body(n);
}
// ... or through a closure that refers to it,
// CHECK-LABEL: kernel changed_by_a_closure
// CHECK: at 0 {{.*}}escape
// CHECK-NEXT: at 16 {{.*}}escape
__global__ void changed_by_a_closure(Body f, int n) {
  auto change = [&] { f.out = f.in; };
  change();
  f(n);
}
// ... or through its bytes,
// CHECK-LABEL: kernel changed_as_bytes
// CHECK: at 0 {{.*}}escape
// CHECK-NEXT: at 16 {{.*}}escape
__global__ void changed_as_bytes(Body f, int n) {
  Body body = f;
  memcpy(&body.out, &f.in, sizeof(Span));
  body(n);
}
// ... one of several,
// CHECK-LABEL: kernel one_of_two
// CHECK: at 0 read write
// CHECK-NEXT: at 16 write
__global__ void one_of_two(Body f, int n) {
  const Span &to = n ? f.in : f.out;
  to[n] = f.in[n];
}
// ... an element of an array,
// CHECK-LABEL: kernel of_an_array
// CHECK: at 0 {{.*}}write
// CHECK-NEXT: at 16 {{.*}}write
__global__ void of_an_array(Body f, int n) {
  Span both[2] = {f.in, f.out};
  both[n][0] = 1;
}
// ... or what a constructor has made.
struct Made {
  Span to, from;
  __device__ Made(Span a, Span b) : to(b), from(a) {}
  __device__ void operator()(int i) const { to[i] = from[i]; }
};
// CHECK-LABEL: kernel constructed
// CHECK: at 0 {{.*}}write
// CHECK-NEXT: at 16 {{.*}}write
__global__ void constructed(Body f, int n) {
  Made made(f.in, f.out);
  made(n);
}
