// What a kernel's visible code does through each pointer parameter. `unknown` and `escape` wherever
// it cannot be seen or the device compile may see other code.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only -E %s -o %t.cui
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %t.cui -o %t.o | %FileCheck %s --check-prefix=PREPROCESSED
#include <cstdio>
#include <cuda_runtime.h>
struct View {
  float *data;
  int n;
  __device__ float &operator()(int i) { return data[i]; }
  __device__ float get(int i) const { return data[i]; }
  __device__ void set(float *p) {
    data = p;
    data[0] = 1;
  }
  __device__ float *&member() { return data; }
};
struct Functor {
  float *out;
  const float *in;
  __host__ __device__ void operator()(int i) const { out[i] = in[i]; }
};
struct Node {
  Node *next;
  float v;
};
__device__ float *global_pointer;
__device__ float *advance(float *p, int n) { return p + n; }
__device__ void put(float &r, float v) { r = v; }
__device__ void put_pointer(float **where, float *p) { *where = p; }
__device__ float unseen(float *p);
__device__ void descend(float *p, int n) {
  if (n)
    descend(p, n - 1);
  else
    *p = 0;
}

// CHECK-LABEL: kernel reads_and_writes
// CHECK-NEXT: parameter x : const float * 8 pointer read{{$}}
// CHECK-NEXT: parameter y : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: parameter n : int 4{{$}}
// PREPROCESSED-LABEL: kernel reads_and_writes
// PREPROCESSED-NEXT: parameter x : const float * 8 pointer unknown{{$}}
__global__ void reads_and_writes(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}
// CHECK-LABEL: kernel const_proves_nothing
// CHECK-NEXT: x : const float * 8 pointer write{{( anywhere)?$}}
__global__ void const_proves_nothing(const float *x) {
  float *w = const_cast<float *>(x);
  w[0] = 1;
}
// CHECK-LABEL: kernel aliases
// CHECK-NEXT: a : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: b : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: c : float * 8 pointer read{{$}}
__global__ void aliases(float *a, float *b, float *c, bool f) {
  float *q = f ? a : b;
  for (int i = 0; i < 3; ++i)
    *q++ = c[i];
}
// CHECK-LABEL: kernel late_alias
// CHECK-NEXT: a : float * 8 pointer read write{{( anywhere)?$}}
__global__ void late_alias(float *a, int n) {
  float local = 0, *q = &local;
  for (int i = 0; i < n; ++i) {
    *q = 1;
    q = a + i;
    local += *q;
  }
}
// CHECK-LABEL: kernel saves
// CHECK-NEXT: p : float * 8 pointer escape{{$}}
__global__ void saves(float *p) { global_pointer = p; }
// CHECK-LABEL: kernel calls
// CHECK-NEXT: p : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: q : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: r : float * 8 pointer escape unknown{{$}}
__global__ void calls(float *p, float *q, float *r) {
  *advance(p, 3) = 1;
  put(q[2], 3);
  unseen(r);
}
// CHECK-LABEL: kernel recursive
// CHECK-NEXT: p : float * 8 pointer write escape unknown{{$}}
__global__ void recursive(float *p) { descend(p, 3); }
// CHECK-LABEL: kernel stored_by_callee
// CHECK-NEXT: p : float * 8 pointer {{.*}}escape
__global__ void stored_by_callee(float *p) {
  float *q;
  put_pointer(&q, p);
  float **two = &q;
  (*two)[0] = 1;
}
// CHECK-LABEL: kernel atomics
// CHECK-NEXT: p : int * 8 pointer read write{{( anywhere)?$}}
// CHECK-NEXT: q : float * 8 pointer read write{{( anywhere)?$}}
__global__ void atomics(int *p, float *q) {
  atomicAdd(p, 1);
  atomicExch(&q[1], 2.f);
}
// CHECK-LABEL: kernel views
// CHECK-NEXT: v : View 16 aggregate write{{( anywhere)?$}}
// CHECK-NEXT: w : View 16 aggregate read{{$}}
__global__ void views(View v, View w) { v(3) = w.get(2); }
// CHECK-LABEL: kernel view_set
// CHECK-NEXT: v : View 16 aggregate write{{( anywhere)?$}}
// CHECK-NEXT: p : float * 8 pointer write{{( anywhere)?$}}
__global__ void view_set(View v, float *p) { v.set(p); }
// CHECK-LABEL: kernel view_made
// CHECK-NEXT: p : float * 8 pointer write{{( anywhere)?$}}
__global__ void view_made(float *p, int n) {
  View v{p, n};
  View w = v;
  w(1) = 3;
}
// CHECK-LABEL: kernel view_member
// CHECK-NEXT: p : float * 8 pointer {{.*}}escape
__global__ void view_member(float *p) {
  View v{p, 1};
  v.member()[0] = 1;
}
// CHECK-LABEL: kernel functor
// CHECK-NEXT: f : Functor 16 aggregate read write{{( anywhere)?$}}
__global__ void functor(Functor f) { f(threadIdx.x); }
// CHECK-LABEL: kernel list
// CHECK-NEXT: head : Node * 8 pointer read write follow{{( anywhere)?$}}
__global__ void list(Node *head) {
  for (Node *n = head; n; n = n->next)
    n->v = 1;
}
// CHECK-LABEL: kernel node
// CHECK-NEXT: head : Node * 8 pointer write{{( anywhere)?$}}
__global__ void node(Node *head) { head->v = 1; }
// CHECK-LABEL: kernel two_levels
// CHECK-NEXT: pp : float ** 8 pointer read follow{{$}}
__global__ void two_levels(float **pp) { pp[0][1] = 1; }
// CHECK-LABEL: kernel arch_conditional
// CHECK-NEXT: p : float * 8 pointer unknown{{$}}
__global__ void arch_conditional(float *p) {
#if __CUDA_ARCH__ >= 700
  p[0] = 1;
#endif
}
#ifdef __CUDA_ARCH__
#define STORE(p) p[0] = 1
#else
#define STORE(p)
#endif
#define STORE_TOO(p) STORE(p)
// CHECK-LABEL: kernel arch_macro
// CHECK-NEXT: p : float * 8 pointer unknown{{$}}
__global__ void arch_macro(float *p) { STORE_TOO(p); }
#if defined(STORE_TOO) && !defined(STORE)
#define HIDDEN 1
#endif
// CHECK-LABEL: kernel after_arch_code
// CHECK-NEXT: p : const float * 8 pointer read{{$}}
__global__ void after_arch_code(const float *p, float v) { v = *p; }
// CHECK-LABEL: kernel integer
// CHECK-NEXT: p : float * 8 pointer escape unknown{{$}}
__global__ void integer(float *p) {
  size_t a = (size_t)p;
  *(float *)a = 1;
}
// CHECK-LABEL: kernel vectors
// CHECK-NEXT: p : float4 * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: q : const float4 * 8 pointer read{{$}}
__global__ void vectors(float4 *p, const float4 *q) {
  float4 v = q[0];
  v.x += 1;
  p[1] = v;
}
// CHECK-LABEL: kernel shared
// CHECK-NEXT: in : const float * 8 pointer read{{$}}
// CHECK-NEXT: out : float * 8 pointer write{{( anywhere)?$}}
__global__ void shared(const float *in, float *out) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[0];
}
// CHECK-LABEL: kernel cached
// CHECK-NEXT: p : const float * 8 pointer read{{$}}
// CHECK-NEXT: q : float * 8 pointer write{{( anywhere)?$}}
__global__ void cached(const float *p, float *q) { *q = __ldg(p); }
// CHECK-LABEL: kernel assembly
// CHECK-NEXT: p : float * 8 pointer write anywhere{{$}}
__global__ void assembly(float *p) { asm volatile("st.global.f32 [%0], 0f00000000;" ::"l"(p)); }
// CHECK-LABEL: kernel untouched
// CHECK-NEXT: p : float * 8 pointer{{$}}
__global__ void untouched(float *p, int n) {
  if (p && n)
    printf("x");
}
// CHECK-LABEL: kernel address_of_local
// CHECK-NEXT: p : float * 8 pointer escape{{$}}
__global__ void address_of_local(float *p) {
  float *q = p;
  float **pq = &q;
  (*pq)[0] = 1;
}
// CHECK-LABEL: kernel local_array
// CHECK-NEXT: a : float * 8 pointer read write{{( anywhere)?$}}
// CHECK-NEXT: b : float * 8 pointer read write{{( anywhere)?$}}
__global__ void local_array(float *a, float *b) {
  float *t[2] = {a, b};
  t[1][0] = t[0][0];
}
// CHECK-LABEL: kernel references
// CHECK-NEXT: a : float * 8 pointer read write{{( anywhere)?$}}
__global__ void references(float *a) {
  float *&r = a;
  r[1] = 3;
  float &x = a[0];
  x++;
}
// CHECK-LABEL: kernel by_address
// CHECK-NEXT: f : Functor * 8 pointer read follow{{$}}
__global__ void by_address(Functor *f) { f->out[0] = 1; }
// CHECK-LABEL: kernel lambda_inside
// CHECK-NEXT: p : float * 8 pointer write{{( anywhere)?$}}
__global__ void lambda_inside(float *p) {
  auto write = [=](int i) { p[i] = 1; };
  write(2);
}
// CHECK-LABEL: kernel union_inside
// CHECK-NEXT: p : float * 8 pointer {{.*}}escape
__global__ void union_inside(float *p) {
  union {
    float *pointer;
    size_t number;
  } u;
  u.pointer = p;
  *(float *)u.number = 1;
}
// CHECK-LABEL: kernel atomic_pointer
// CHECK-NEXT: p : _Atomic(float *) * 8 pointer read follow{{$}}
__global__ void atomic_pointer(_Atomic(float *) *p) { **p = 1; }
// CHECK-LABEL: kernel copied
// CHECK-NEXT: p : char * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT: q : const char * 8 pointer read{{$}}
__global__ void copied(char *p, const char *q) { memcpy(p, q, 4); }
template <class F> __global__ void generic(F f) { f(threadIdx.x); }
int main() {
  float *d = nullptr;
  // CHECK-DAG: parameter f : (lambda) 8 aggregate write{{( anywhere)?$}}
  generic<<<1, 1>>>([=] __device__(int i) { d[i] = 1; });
  return 0;
}
