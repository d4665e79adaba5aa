// Numbers are read and written where pointers lie, behind the object that a callee gets: what lies there may be an object
// of the kernel's own, to which a member, a capture or one of two pointers leads.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cstring>
#include <cuda_runtime.h>

typedef unsigned long long Number;
struct Inner {
  float *q;
};
struct Outer {
  Inner *in;
};
struct Bytes {
  const void *in;
};
struct Pair {
  Inner *in;
  float *t;
};

// ---- read as numbers: the address is in `out` from then on ----
__device__ void show(Number *out, const Outer &o) { out[0] = *(const Number *)o.in; }
__device__ void showInner(Number *out, Inner *p) {
  Outer o{p};
  show(out, o);
}
// CHECK: kernel shown {{.*}}
// CHECK: parameter s : float * 8 pointer escape
__global__ void shown(Number *out, float *s) {
  Inner in{s};
  showInner(out, &in);
}
__device__ void copy(Number *out, const Bytes *o) { memcpy(out, o->in, 8); }
__device__ void copyInner(Number *out, Inner *p) {
  Bytes o{p};
  copy(out, &o);
}
// CHECK: kernel copied {{.*}}
// CHECK: parameter s : float * 8 pointer escape
__global__ void copied(Number *out, float *s) {
  Inner in{s};
  copyInner(out, &in);
}
struct Copier {
  const void *p;
  Number *out;
  __device__ Copier(const void *p, Number *out) : p(p), out(out) {}
  __device__ void operator()() const { memcpy(out, p, 8); }
};
__device__ void runCopier(Number *out, Inner &p) { Copier(&p, out)(); }
// CHECK: kernel copied_by_functor {{.*}}
// CHECK: parameter s : float * 8 pointer escape
__global__ void copied_by_functor(Number *out, float *s) {
  Inner in{s};
  runCopier(out, in);
}
// Who reads through it says so, no more.
__device__ float first(const Outer &o) { return o.in->q[0]; }
__device__ float firstOf(Inner *p) {
  Outer o{p};
  return first(o);
}
// CHECK: kernel reads {{.*}}
// CHECK-NOT: escape
// CHECK: parameter n : int
__global__ void reads(float *out, float *s, int n) {
  Inner in{s};
  out[n] = firstOf(&in);
}

// ---- written as numbers: they may be addresses ----
__device__ void set(const Outer &o, Number v) { *(Number *)o.in = v; }
__device__ void setInner(Inner *p, Number v) {
  Outer o{p};
  set(o, v);
}
// CHECK: kernel written {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void written(Number v, float *s) {
  Inner in{s};
  setInner(&in, v);
  in.q[0] = 1;
}
struct Setter {
  Inner *in;
  __device__ void operator()(const uint2 *v) const { *(uint2 *)in = *v; }
};
__device__ void runSetter(Inner *p, const uint2 *v) {
  Setter f{p};
  f(v);
}
// CHECK: kernel written_by_functor {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 pointer read unknown
__global__ void written_by_functor(const uint2 *v, float *s) {
  Inner in{s};
  runSetter(&in, v);
  in.q[0] = 1;
}
__device__ void setOf(const Pair &o, Number v) { *(Number *)o.in = v; }
// CHECK: kernel beside_another {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void beside_another(Number v, float *s, float *t) {
  Inner in{s};
  Pair o{&in, t};
  setOf(o, v);
  in.q[0] = 1;
}
// CHECK: kernel set_apart {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void set_apart(Number v, float *s, float *t) {
  Inner in{s};
  Pair o;
  o.in = &in;
  o.t = t;
  setOf(o, v);
  in.q[0] = 1;
}
struct Numbered {
  Number *n;
  float *t;
};
__device__ void take(const Numbered &o) { **(float **)o.n = 1; }
// CHECK: kernel taken {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void taken(Number v, float *t) {
  Number n = v;
  Numbered o{&n, t};
  take(o);
}
// CHECK: kernel one_of_two {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void one_of_two(Number v, float *s, Inner *p, int c) {
  Inner in{s};
  *(Number *)(c ? &in : p) = v;
  in.q[0] = 1;
}
// CHECK: kernel one_of_two_places {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void one_of_two_places(Number v, float *s, Inner *p, int c) {
  Inner in{s};
  Inner &r = c ? in : *p;
  *(Number *)&r = v;
  in.q[0] = 1;
}
__device__ void setThrough(Inner &p, Number v) { *(Number *)&p = v; }
// CHECK: kernel one_of_two_given {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void one_of_two_given(Number v, float *s, Inner *p, int c) {
  Inner in{s};
  setThrough(c ? in : *p, v);
  in.q[0] = 1;
}
__device__ float *asPointer(const void *n) { return *(float *const *)n; }
// CHECK: kernel one_of_two_numbers {{.*}} ends{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8 unknown
__global__ void one_of_two_numbers(Number v, const Number *t, int c) {
  Number n = v;
  *asPointer(c ? &n : t) = 1;
}

// What no pointer lies in may be written as anything.
// CHECK: kernel numbers {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8{{$}}
// CHECK-NEXT: parameter x : {{.*}} 8 pointer read{{$}}
// CHECK-NEXT: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void numbers(Number v, const float4 *x, float4 *s) {
  float all[4];
  Number *both = (Number *)all;
  both[0] = v;
  for (int i = 2; i < 4; i++) all[i] = ((const float *)x)[i];
  *s = *(float4 *)all;
}
// CHECK: kernel to_memory {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter v : {{.*}} 8{{$}}
// CHECK-NEXT: parameter p : {{.*}} 8 pointer write{{$}}
__global__ void to_memory(Number v, Inner *p) { *(Number *)p = v; }
