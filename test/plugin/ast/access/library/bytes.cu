// Pointers that are copied as bytes, by functions that know nothing of them, lead where they did.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts --cuda-gpu-arch=sm_80 -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -arch=sm_80 -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
__device__ void bytes(void *to, const void *from) { memcpy(to, from, 8); }
template <class T> __device__ void casts(T *to, const T *from) {
  memcpy((char *)to, (const char *)from, sizeof(T));
}
template <class T> __device__ void wide(T *to, const T *from) {
  *(int4 *)to = *(const int4 *)from;
}
template <class T> __device__ void loop(T *to, const T *from) {
  for (int i = 0; i < 16; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}
struct Pair {
  unsigned x, y;
};
__device__ Pair get(const void *from) { return *(const Pair *)from; }
__device__ void put(void *to, Pair pair) { *(Pair *)to = pair; }
__device__ void store(void *to, unsigned long long number) {
  asm volatile("st.u64 [%0], %1;" ::"l"(to), "l"(number));
}
__device__ void outer(void *to, const void *from) { bytes(to, from); }

// CHECK: kernel by_bytes
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_bytes(float *const *table) {
  float *p;
  bytes(&p, table);
  *p = 1;
}
// CHECK: kernel by_casts
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_casts(float *const *table) {
  float *p;
  casts(&p, table);
  *p = 1;
}
// CHECK: kernel by_wide
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_wide(float *const *table) {
  float *p[2];
  wide(p, table);
  *p[0] = 1;
}
// CHECK: kernel by_loop
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_loop(float *const *table) {
  __shared__ float *p[2];
  loop(&p[0], table);
  *p[1] = 1;
}
// CHECK: kernel by_value
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_value(float *const *table) {
  float *p;
  put(&p, get(table));
  *p = 1;
}
// CHECK: kernel by_assembly
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_assembly(const unsigned long long *table) {
  float *p;
  store(&p, table[0]);
  *p = 1;
}
// CHECK: kernel by_two
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_two(float *const *table) {
  float *p;
  outer(&p, table);
  *p = 1;
}
// CHECK: kernel by_variable
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_variable(float *const *table) {
  float *p;
  void *to = &p;
  memcpy(to, table, sizeof p);
  *p = 1;
}
__device__ unsigned place(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ unsigned long long number(const void *p) { return (unsigned long long)p; }
__device__ void copy(unsigned to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from));
}
// CHECK: kernel by_shared
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_shared(float *const *table) {
  __shared__ float *p[2];
  copy(unsigned(__cvta_generic_to_shared(&p[0])), table);
  *p[0] = 1;
}
// CHECK: kernel by_place
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_place(float *const *table) {
  __shared__ float *p[2];
  copy(place(&p[0]), table);
  *p[0] = 1;
}
// CHECK: kernel by_number
// CHECK-NEXT:   parameter table : {{.*}}unknown
__global__ void by_number(float *const *table) {
  __shared__ float *p[2];
  copy(unsigned(number(p)), table);
  *p[0] = 1;
}
// Numbers stay numbers.
// CHECK: kernel numbers {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter out : {{.*}} pointer {{(read )?}}write
__global__ void numbers(const float4 *in, float4 *out) {
  float4 v[2];
  bytes(&v[0], in);
  casts(&v[0], in + 1);
  wide(&v[1], in + 2);
  loop(&v[1], in + 3);
  put(&v[1], get(in + 4));
  v[0].x += v[1].x;
  wide(out + threadIdx.x, v);
}
// A pointer whose bytes a callee hands on is kept, wherever they went.
__device__ void each(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}
// CHECK: kernel hands_on
// CHECK-NEXT:   parameter p : {{.*}} pointer escape unknown{{$}}
// CHECK-NEXT:   parameter where : {{.*}} pointer write
__global__ void hands_on(float *p, float *where) { each(where, &p, sizeof p); }
// CHECK: kernel hands_on_none
// CHECK-NEXT:   parameter p : {{.*}} pointer read{{$}}
__global__ void hands_on_none(const float *p, float *where) {
  float v = p[0];
  each(where, &v, sizeof v);
}
