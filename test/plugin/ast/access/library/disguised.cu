// Numbers that come where pointers are: by `void *`, in objects that are taken for others, by PTX
// that hides its addresses.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
//
// RUN: %facts --cuda-gpu-arch=sm_80 -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -arch=sm_80 -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <cstring>
using u64 = unsigned long long;

// ---- by `void *` ----
// CHECK: kernel by_variable
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_variable(const u64 *table) {
  float *p;
  void *at = &p;
  *(u64 *)at = table[0];
  *p = 1;
}
// CHECK: kernel by_atomic
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_atomic(const u64 *table) {
  float *p;
  void *at = &p;
  atomicExch((u64 *)at, table[0]);
  *p = 1;
}
// CHECK: kernel by_assembly
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_assembly(const u64 *table) {
  float *p;
  void *at = &p;
  asm volatile("st.u64 [%0], %1;" ::"l"(at), "l"(table[0]));
  *p = 1;
}
// CHECK: kernel by_vector
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_vector(const float4 *table) {
  float *p[2];
  void *at = p;
  *(float4 *)at = table[0];
  *p[1] = 1;
}
// CHECK: kernel by_shared
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_shared(const u64 *table) {
  __shared__ float *p[4];
  void *at = p;
  ((u64 *)at)[0] = table[0];
  *p[0] = 1;
}
__device__ void *same(void *at) { return at; }
// CHECK: kernel by_result
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_result(const u64 *table) {
  float *p;
  *(u64 *)same(&p) = table[0];
  *p = 1;
}
struct Place {
  void *at;
};
struct Made {
  void *at;
  __device__ Made(void *at) : at(at) {}
};
__device__ void set(Place &place, void *at) { place.at = at; }
// CHECK: kernel by_member
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_member(const u64 *table) {
  float *p;
  Place place;
  set(place, &p);
  *(u64 *)place.at = table[0];
  *p = 1;
}
// CHECK: kernel by_constructor
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_constructor(const u64 *table) {
  float *p;
  Made made(&p);
  *(u64 *)made.at = table[0];
  *p = 1;
}
// CHECK: kernel by_list
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_list(const u64 *table) {
  float *p;
  Place place{&p};
  *(u64 *)place.at = table[0];
  *p = 1;
}
// ---- behind members and captures ----
struct Behind {
  u64 *at;
  __device__ float **pointers() { return (float **)at; }
};
// CHECK: kernel by_method
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_method(const u64 *table) {
  u64 n = table[0];
  **Behind{&n}.pointers() = 1;
}
// CHECK: kernel by_closure
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_closure(const u64 *table) {
  u64 n;
  auto pointers = [&] { return (float **)&n; };
  n = table[0];
  **pointers() = 1;
}
struct Bytes {
  char *at;
  __device__ float *floats() { return (float *)at; }
};
// Numbers that stay such.
// CHECK: kernel as_floats {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter out : {{.*}} pointer write
__global__ void as_floats(const float *in, float *out) {
  __shared__ char part[16];
  Bytes bytes{part};
  bytes.floats()[0] = in[0];
  out[0] = bytes.floats()[0];
}
// CHECK: kernel of_numbers {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter table : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter out : {{.*}} pointer write
__global__ void of_numbers(const u64 *table, u64 *out) {
  __shared__ u64 part[4];
  u64 n;
  void *at = &n, *shared = part;
  *(u64 *)at = table[0];
  ((float *)shared)[0] = float(n);
  out[0] = n + *(u64 *)same(part);
}

// ---- another object's layout ----
struct First {
  float *p;
  u64 n;
};
struct Second {
  u64 n;
  float *p;
};
// CHECK: kernel as_bits
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void as_bits(const u64 *table, float *p) {
  First first{p, table[0]};
  *__builtin_bit_cast(Second, first).p = 1;
}
// CHECK: kernel as_reference
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void as_reference(const u64 *table, float *p) {
  First first{p, table[0]};
  *reinterpret_cast<Second &>(first).p = 1;
}
// CHECK: kernel as_copy
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void as_copy(const u64 *table, float *p) {
  First first[2] = {{p, table[0]}, {p, table[1]}};
  Second second[2];
  memcpy(second, first, sizeof first);
  *second[1].p = 1;
}
__device__ float *secondOf(const void *object) { return static_cast<const Second *>(object)->p; }
__device__ float *secondOf(const First &object) {
  return reinterpret_cast<const Second &>(object).p;
}
// CHECK: kernel as_argument
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void as_argument(const u64 *table, float *p) {
  First first{p, table[0]};
  *secondOf(&first) = 1;
}
// CHECK: kernel as_other_reference
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void as_other_reference(const u64 *table, float *p) {
  First first{p, table[0]};
  *secondOf(first) = 1;
}
// CHECK: kernel as_itself {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter table : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter p : {{.*(write|escape)}}
__global__ void as_itself(const u64 *table, float *p) {
  First first[2] = {{p, table[0]}, {p, table[1]}}, second[2];
  memcpy(second, first, sizeof first);
  *second[1].p = float(second[0].n);
}

// ---- PTX ----
// CHECK: kernel no_blank
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void no_blank(const u64 *table) {
  asm volatile("st.global.u32[%0], 1;" ::"l"(table[0]));
}
// CHECK: kernel like_ours
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void like_ours(const u64 *table, int *other) {
  asm volatile("{ .reg .u64 $1; mov.u64 $1, %0; st.global.u32 [$1], 1; }" ::"l"(table[0]),
               "l"(other));
}
