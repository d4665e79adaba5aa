// Bodies that cudafe++ disabled are parsed behind the end of the unit: what is declared behind a body means nothing in it.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %nvcc -std=c++17 -w %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck --check-prefixes=CHECK,NVCC %s
// RUN: %facts -std=c++17 -w -c %s -o %t.clang.o | %FileCheck --check-prefixes=CHECK,CLANG %s
#include <cuda_runtime.h>

// An overload that fits better.
__device__ void set(void *p) { *static_cast<int *>(p) = 1; }
__global__ void overloaded(float *a) { set(a); }
__device__ void caller(float *a) { set(a); }
__device__ void set(float *) {}
__global__ void through(float *b) { caller(b); }
// The twin: declared before, defined behind.
__device__ void put(float *p);
__global__ void declared(float *c) { put(c); }
__device__ void put(float *p) { *p = 1; }

// A template that is more special, a template's name that does not depend.
template <class T> __device__ void fill(T p) { *p = 1; }
__global__ void generic(float *d) { fill(d); }
template <class T> __device__ void fill(T *) {}
__device__ void clear(void *p) { *static_cast<int *>(p) = 0; }
template <class T> __global__ void instantiated(T *e) { clear(e); }
__device__ void clear(float *) {}
template __global__ void instantiated<float>(float *);

// An operator, a function of the argument's namespace.
struct Place {
  float *at;
};
__device__ void operator+(Place p, int) { *p.at = 1; }
__global__ void operated(Place f) { f + 'a'; }
__device__ void operator+(Place, char) {}

// A variable of an inner namespace, a namespace that is opened.
__device__ float *first;
constexpr int which = 1;
namespace inner {
__global__ void variable(float *g) {
  if (which)
    g[0] = 1;
}
constexpr int which = 0;
} // namespace inner
namespace other {
__device__ void mark(float *) {}
__device__ void note(float *p) { *p = 1; }
} // namespace other
__device__ void mark(void *p) { *static_cast<int *>(p) = 1; }
__global__ void opened(float *i) { mark(i); }
__global__ void qualified(float *j) { other::note(j); }
using namespace other;
__global__ void behind(float *k) { note(k); }

// A class is known as a whole in its functions.
struct Whole {
  __device__ static void go(float *p) { later(p); }
  __device__ static void later(float *p) { *p = 1; }
};
__global__ void member(float *l) { Whole::go(l); }

// What a template's argument brings with it may come behind the template.
template <class T> struct Crtp {
  __device__ void go() const { *static_cast<const T *>(this)->at = 1; }
};
template <class T> __global__ void later(T m) {
  m.go();
  m + 1;
}
struct Later : Crtp<Later> {
  float *at;
};
__device__ void operator+(Later l, int) { l.at[1] = 1; }
template __global__ void later<Later>(Later);

// What a template is given was named where it was given.
template <void (*with)(float *)> __global__ void given(float *n) { with(n); }
__device__ void one(float *p) { *p = 1; }
template __global__ void given<one>(float *);

// NVCC-DAG: parameter a : float * 8 pointer unknown
// NVCC-DAG: parameter b : float * 8 pointer {{.*}}unknown
// NVCC-DAG: parameter d : float * 8 pointer unknown
// NVCC-DAG: parameter e : float * 8 pointer unknown
// NVCC-DAG: parameter f : {{.*}}Place 8 aggregate unknown
// NVCC-DAG: parameter g : float * 8 pointer unknown
// NVCC-DAG: parameter i : float * 8 pointer unknown
// CLANG-DAG: parameter a : float * 8 pointer write
// CLANG-DAG: parameter b : float * 8 pointer write
// CLANG-DAG: parameter d : float * 8 pointer write
// CLANG-DAG: parameter e : float * 8 pointer write
// CLANG-DAG: parameter f : Place 8 aggregate write
// CLANG-DAG: parameter g : float * 8 pointer write
// CLANG-DAG: parameter i : float * 8 pointer write
// CHECK-DAG: parameter c : float * 8 pointer write
// CHECK-DAG: parameter j : float * 8 pointer write
// CHECK-DAG: parameter k : float * 8 pointer write
// CHECK-DAG: parameter l : float * 8 pointer write
// CHECK-DAG: parameter m : {{.*}}Later 8 aggregate write
// CHECK-DAG: parameter n : float * 8 pointer write
