// What a kernel does through each pointer in a functor, or in its views, by methods of theirs.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <cuda_runtime.h>

struct Span {
  float *p;
  int n;
  __host__ __device__ float &operator[](int i) const { return p[i]; }
  __host__ __device__ float *data() const { return p; }
  __host__ __device__ Span from(int first) const { return {p + first, n - first}; }
};

// One kernel for each functor, named after it.
#define KERNEL(name) __global__ void name(struct name##_ f, int i)

struct copy_ {
  const float *in;
  float *out;
  int n;
  __device__ void operator()(int i) const { run(i); }
  __device__ void run(int i) const {
    if (i < n)
      this->out[i] = in[i];
  }
};
// CHECK-LABEL: kernel copy
// CHECK-NEXT: f : {{.*}} 24 aggregate read write
// CHECK-NEXT: at 0 read{{$}}
// CHECK-NEXT: at 8 write{{( anywhere)?$}}
KERNEL(copy) { f(i); }

struct views_ {
  Span in, out;
  __device__ void operator()(int i) const { out[i] = in[i]; }
  __device__ void shifted(int i) const { (*this).out.from(1)[i] = in.data()[i]; }
};
// CHECK-LABEL: kernel views
// CHECK: at 0 read{{$}}
// CHECK-NEXT: at 16 write{{( anywhere)?$}}
KERNEL(views) {
  f(i);
  f.shifted(i);
}
// CHECK-LABEL: kernel views_themselves
// CHECK-NEXT: in : {{.*}} aggregate read{{$}}
// CHECK-NEXT: out : {{.*}} aggregate write{{( anywhere)?$}}
__global__ void views_themselves(Span in, Span out) { out[threadIdx.x] = in[threadIdx.x]; }

struct Source {
  int n;
  float *in;
  __device__ float get(int i) const { return in[i]; }
};
struct Named {};
struct derived_ : Named, Source {
  float *out;
  [[no_unique_address]] Named nothing;
  __device__ void operator()(int i) const { out[i] = get(i); }
};
// CHECK-LABEL: kernel derived
// CHECK: at 8 read{{$}}
// CHECK-NEXT: at 16 write{{( anywhere)?$}}
KERNEL(derived) { f(i); }

// A base that looks for what it is a part of is told of as a whole.
template <class T> struct Crtp {
  float *in;
  __device__ void go(int i) const { static_cast<const T *>(this)->out[i] = in[i]; }
};
struct downwards_ : Crtp<downwards_> {
  float *out, *more;
  __device__ void operator()(int i) const { go(i); }
};
// CHECK-LABEL: kernel downwards
// CHECK: at 0 {{.*}}write
// CHECK-NEXT: at 8 {{.*}}write
// CHECK-NEXT: at 16 {{.*}}write
KERNEL(downwards) { f(i); }

// So is one whose members change,
struct replaces_ {
  float *in, *out, *more;
  __device__ void operator()(int i) {
    out = more;
    out[i] = in[i];
  }
};
// CHECK-LABEL: kernel replaces
// CHECK: at 0 {{.*}}write
// CHECK-NEXT: at 8 {{.*}}write
// CHECK-NEXT: at 16 {{.*}}write
KERNEL(replaces) { f(i); }

__device__ void exchange(float *&a, float *&b) {
  float *before = a;
  a = b;
  b = before;
}
struct exchanges_ {
  float *in, *out;
  __device__ void set() { exchange(in, out); }
  __device__ void operator()(int i) const { out[i] = in[i]; }
};
// CHECK-LABEL: kernel exchanges
// CHECK: at 0 {{.*}}write
// CHECK-NEXT: at 8 {{.*}}write
KERNEL(exchanges) {
  f(i);
  f.set();
}
// ... in the kernel, or by a callee that gets two names of one object.
__device__ void fill(Span &a, Span &b, float *with) {
  a.p = with;
  b[0] = 1;
}
// CHECK-LABEL: kernel two_names
// CHECK-NEXT: s : {{.*}} aggregate {{.*}}write
// CHECK-NEXT: with : {{.*}}write
__global__ void two_names(Span s, float *with) { fill(s, s, with); }

// ... or one that reads past a member,
struct past_the_end_ {
  float *a, *b;
  __device__ void operator()(int i) const {
    float *const *all = &a;
    all[1][i] = 1;
  }
};
// CHECK-LABEL: kernel past_the_end
// CHECK: at 0 {{.*}}write
// CHECK-NEXT: at 8 {{.*}}write
KERNEL(past_the_end) { f(i); }

// ... reads one by an index,
struct indexed_ {
  float *rows[2];
  float *in;
  __device__ void operator()(int i) const { rows[i][0] = in[i] + rows[0][1]; }
};
// CHECK-LABEL: kernel indexed
// CHECK: at 0 read write
// CHECK-NEXT: at 8 {{.*}}write
// CHECK-NEXT: at 16 read
KERNEL(indexed) { f(i); }

// ... as something else,
struct other_type_ {
  long a;
  float *b, *c;
  __device__ void operator()(int i) const { reinterpret_cast<const Span &>(c).p[i] = *b; }
};
// CHECK-LABEL: kernel other_type
// CHECK: at 8 {{.*}}write
// CHECK-NEXT: at 16 {{.*}}write
KERNEL(other_type) { f(i); }

// ... has a union,
struct in_a_union_ {
  union {
    float *p;
    const float *q;
  };
  float *in, *more;
  __device__ void operator()(int i) const { p[i] = in[i]; }
};
// CHECK-LABEL: kernel in_a_union
// CHECK: f : {{.*}} 24 aggregate {{.*}}write
// CHECK-NEXT: at 8 {{.*}}write
// CHECK-NEXT: at 16 {{.*}}write
KERNEL(in_a_union) { f(i); }

// ... calls itself,
struct recurs_ {
  float *in, *out;
  __device__ void operator()(int i) const {
    out[i] = in[i];
    if (i)
      (*this)(i - 1);
  }
};
// CHECK-LABEL: kernel recurs
// CHECK: at 0 {{.*}}unknown
// CHECK-NEXT: at 8 {{.*}}unknown
KERNEL(recurs) { f(i); }

// ... or is virtual.
struct virtual_ {
  float *in, *out;
  __device__ virtual void operator()(int i) const { out[i] = in[i]; }
};
// CHECK-LABEL: kernel virtual_call
// CHECK: f : {{.*}} 24 aggregate {{.*}}unknown
__global__ void virtual_call(virtual_ f, int i) { f(i); }

// Its address gets about.
struct leaves_;
__device__ const leaves_ *kept;
struct leaves_ {
  float *in, *out;
  __device__ void operator()(int i) const {
    kept = this;
    out[i] = in[i];
  }
};
// CHECK-LABEL: kernel leaves
// CHECK: at 0 {{.*}}escape
// CHECK-NEXT: at 8 {{.*}}escape
KERNEL(leaves) { f(i); }
// One member does.
__device__ float *kept_one;
struct one_leaves_ {
  float *in, *out;
  __device__ void operator()(int i) const {
    kept_one = out;
    out[i] = in[i];
  }
};
// CHECK-LABEL: kernel one_leaves
// CHECK: at 0 read{{$}}
// CHECK-NEXT: at 8 {{.*}}escape
KERNEL(one_leaves) { f(i); }

// Pointers to pointers.
struct table_ {
  float **rows;
  const float *in;
  __device__ void operator()(int i) const { rows[i][0] = in[i]; }
};
// CHECK-LABEL: kernel table
// CHECK: at 0 {{.*}}follow
// CHECK-NEXT: at 8 read{{$}}
KERNEL(table) { f(i); }
