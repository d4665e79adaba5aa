// Objects that keep the address of another local object, or of its pointers; destructors that run
// unseen; objects that are template arguments.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++20 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %FileCheck --check-prefix=CLANG %s < %t.clang.txt
// RUN: %nvcc -std=c++20 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -dc %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

struct Params {
  int *p;
  const float *x;
};

struct ByReference {
  const Params &params;
  __device__ explicit ByReference(const Params &params) : params(params) {}
  __device__ void set() const { *params.p = 1; }
};
// CHECK: kernel by_reference
// CHECK-NEXT: parameter flag : {{.*}} escape
// CHECK-NEXT: parameter x : {{.*}} escape
__global__ void by_reference(int *flag, const float *x) {
  const Params params{flag, x};
  ByReference access(params);
  access.set();
}
// Inside an argument of the launch, too.
// CHECK: kernel of_argument
// CHECK-NEXT: parameter params : {{.*}} escape
__global__ void of_argument(Params params) { ByReference(params).set(); }

struct ByPointer {
  const Params *params;
  __device__ explicit ByPointer(const Params *params) : params(params) {}
};
// CHECK: kernel by_pointer
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void by_pointer(int *flag, const float *x) {
  const Params params{flag, x};
  *ByPointer(&params).params->p = 1;
}
struct Nested {
  ByReference inner;
  __device__ explicit Nested(const Params &params) : inner(params) {}
};
// CHECK: kernel nested
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void nested(int *flag, const float *x) {
  const Params params{flag, x};
  Nested access(params);
  *access.inner.params.p = 1;
}
struct Slot {
  int *const *slot;
};
__device__ Slot slotOf(const Params &params) { return {&params.p}; }
// CHECK: kernel returned
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void returned(int *flag, const float *x) {
  const Params params{flag, x};
  **slotOf(params).slot = 1;
}
struct Bound {
  const Params *params;
  __device__ Bound &bind(const Params &to) {
    params = &to;
    return *this;
  }
};
// CHECK: kernel bound
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void bound(int *flag, const float *x) {
  const Params params{flag, x};
  Bound access;
  access.bind(params);
  *access.params->p = 1;
}
struct Base {
  __device__ int *get();
};
struct Derived : Base {
  int *p;
};
__device__ int *Base::get() { return static_cast<Derived *>(this)->p; }
__device__ Base &baseOf(Derived &derived) { return derived; }
// CHECK: kernel as_base
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void as_base(int *flag) {
  Derived derived;
  derived.p = flag;
  *baseOf(derived).get() = 1;
}
// CHECK: kernel put_later
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void put_later(int *flag, int *other, const float *x) {
  Params &&params = Params{other, x};
  params.p = flag;
  *params.p = 1;
}

struct Guard {
  int *p = nullptr;
  __device__ Guard() {}
  __device__ ~Guard() {
    if (p)
      *p = 1;
  }
};
// CHECK: kernel guarded
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void guarded(int *flag) {
  Guard guard;
  guard.p = flag;
}
struct Owner {
  Guard guard;
  __device__ ~Owner() {}
};
// CHECK: kernel destroyed
// CHECK-NEXT: parameter owner : {{.*}} unknown
__global__ void destroyed(Owner *owner) { owner->~Owner(); }

// What escapes may be read back and followed.
struct Table {
  int **rows;
};
// CHECK: kernel table
// CHECK-NEXT: parameter rows : {{.*}} escape unknown
__global__ void table(int **rows) {
  Table local{rows};
  Table *again = &local;
  again->rows[0][0] = 1;
}
#ifndef __NVCC__ // it has no such builtin
// CLANG: kernel exchanged
// CLANG-NEXT: parameter rows : {{.*}} unknown
__global__ void exchanged(int **rows) {
  int *row = __atomic_load_n(&rows[0], __ATOMIC_RELAXED);
  *row = 1;
}
#endif

__device__ int variable;
struct Named {
  int *p;
};
#ifndef __NVCC__ // nor this, for all architectures
#include "Inputs/atomics.h"
struct alignas(16) Link {
  int *value;
  unsigned long long count;
};
// CLANG: kernel exchanges_link
// CLANG-NEXT: parameter head : {{.*}} unknown
// CLANG-NEXT: parameter flag : {{.*}} unknown
__global__ void exchanges_link(Link *head, int *flag) {
  Link before = atomicExch(head, Link{flag, 0});
  *before.value = 1;
}
// CLANG: kernel exchanges_number
// CLANG-SAME: ends keeps-globals
// CLANG-NEXT: parameter counter : {{.*}} read write anywhere{{$}}
__global__ void exchanges_number(int *counter) { atomicExch(counter, 1); }

// CLANG: kernel of_template_argument{{.*}} ends{{$}}
template <Named N> __global__ void of_template_argument() { *N.p = 1; }
void instantiate() { of_template_argument<Named{&variable}><<<1, 1>>>(); }
#endif

// Silent: values, and pointers that are handed down and come back.
struct Row {
  float *p;
  int n;
  __device__ explicit Row(float *p, int n) : p(p), n(n) {}
  __device__ float &operator[](int i) const { return p[i]; }
  __device__ const Row &self() const { return *this; }
};
// CHECK: kernel rows
// CHECK-SAME: keeps-globals
// CHECK-NEXT: parameter in : {{.*}} read{{$}}
// CHECK-NEXT: parameter out : {{.*}} write
__global__ void rows(float *in, float *out, int n) {
  const Row from(in, n), to(out, n);
  if (threadIdx.x < n)
    to[threadIdx.x] = from[threadIdx.x];
}
