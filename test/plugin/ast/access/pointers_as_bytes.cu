// Callees that read an object as numbers, though pointers are in it: these go where the numbers go.
// SPDX-License-Identifier: Apache-2.0
//
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <cstring>

struct Pair {
  float *a, *b;
};
__device__ void move(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
}
__device__ void copy(void *to, const void *from) { memcpy(to, from, 8); }
template <class T> __device__ void store(char *to, const T &from) {
  for (unsigned i = 0; i < sizeof(T); ++i)
    to[i] = reinterpret_cast<const char *>(&from)[i];
}
template <class T> __device__ void storeLater(char *to, const T &from) { store(to, from); }
__device__ void word(float *to, const void *from) {
  int first;
  asm("ld.u32 %0, [%1];" : "=r"(first) : "l"(from));
  to[0] = first;
}

// CHECK: kernel moved
// CHECK-NEXT: parameter a : float * 8 pointer {{.*}}write
// CHECK-NEXT: parameter p : float * 8 pointer {{.*}}escape
__global__ void moved(float *a, float *p) { move(a, &p, 8); }
// CHECK: kernel copied
// CHECK-NEXT: parameter a
// CHECK-NEXT: parameter p : float * 8 pointer {{.*}}escape
__global__ void copied(float *a, float *p) { copy(a, &p); }
// CHECK: kernel stored
// CHECK-NEXT: parameter a
// CHECK-NEXT: parameter p : float * 8 pointer {{.*}}escape
__global__ void stored(char *a, float *p) { store(a, p); }
// CHECK: kernel later
// CHECK-NEXT: parameter a
// CHECK-NEXT: parameter p : Pair 16 aggregate {{.*}}escape
// CHECK-NEXT: member at 0 {{.*}}escape
// CHECK-NEXT: member at 8 {{.*}}escape
__global__ void later(char *a, Pair p) { storeLater(a, p); }
// CHECK: kernel loaded
// CHECK-NEXT: parameter a
// CHECK-NEXT: parameter p : float * 8 pointer {{.*}}escape
__global__ void loaded(float *a, float *p) { word(a, &p); }

// What the object itself leads to is read, no more; an object without pointers says nothing.
__device__ float sum(const Pair &p) { return *p.a + *p.b; }
// CHECK: kernel summed
// CHECK-NEXT: parameter a : float * 8 pointer write{{$}}
// CHECK-NEXT: parameter p : Pair 16 aggregate read{{$}}
__global__ void summed(float *a, Pair p) { a[0] = sum(p); }
// CHECK: kernel numbers
// CHECK-NEXT: parameter a : char * 8 pointer write anywhere
// CHECK-NEXT: parameter p : const float * 8 pointer read{{$}}
__global__ void numbers(char *a, const float *p) {
  const float all[2] = {p[0], p[1]};
  store(a, all);
}
