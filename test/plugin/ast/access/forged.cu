// Addresses that kernels make of bytes: all that such a kernel gets may lead it anywhere. Numbers
// and vectors that are read as such lead nowhere.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %FileCheck --check-prefix=CLANG %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -dc %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cstring>
#include <cuda_runtime.h>
using u64 = unsigned long long;

// CHECK: kernel of_number
// CHECK-SAME: ends{{$}}
// CHECK-NEXT: parameter table : {{.*}} read unknown
// CHECK-NEXT: parameter other : {{.*}} read unknown
__global__ void of_number(const u64 *table, const float *other) {
  if (other[0] < 0)
    *reinterpret_cast<int *>(table[0]) = 1;
}
// CHECK: kernel of_ldg
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void of_ldg(const u64 *table) { *(int *)__ldg(table) = 1; }

// CHECK: kernel of_vector
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void of_vector(const ulonglong2 *table) { *(int *)table[0].x = 1; }

struct Halves {
  unsigned lower, upper;
};
// CHECK: kernel of_halves
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void of_halves(const Halves *table) {
  *(int *)(u64(table[0].upper) << 32 | table[0].lower) = 1;
}

union Either {
  u64 number;
  int *pointer;
};
__device__ int *by_union(u64 number) {
  Either either;
  either.number = number;
  return either.pointer;
}
// CHECK: kernel of_union
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void of_union(const u64 *table) { *by_union(table[0]) = 1; }

__device__ int *by_copy(const char *bytes) {
  int *pointer;
  memcpy(&pointer, bytes, sizeof pointer);
  return pointer;
}
// CHECK: kernel of_copy
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void of_copy(const char *table) { *by_copy(table) = 1; }

// CHECK: kernel of_pun
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void of_pun(const u64 *table) {
  u64 number = *table;
  **(int **)&number = 1;
}
// CHECK: kernel into_pun
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void into_pun(const u64 *table) {
  int *pointer;
  reinterpret_cast<u64 &>(pointer) = *table;
  *pointer = 1;
}
// CHECK: kernel by_assembly
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_assembly(const u64 *table) {
  asm volatile("st.global.u32 [%0], 1;" ::"l"(table[0]));
}
__device__ void unseen(u64 address);
// CHECK: kernel by_unseen
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_unseen(const u64 *table) { unseen(table[0]); }

// Numbers that code which is not seen gets by their places.
struct View {
  u64 address;
  __device__ void set() const;
};
struct Closes {
  u64 address;
  __device__ ~Closes() { *(int *)address = 1; }
};
__device__ void unseen_place(const u64 *address);
// CHECK: kernel by_place
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_place(const u64 *table) {
  u64 number = table[0];
  unseen_place(&number);
}
// CHECK: kernel by_array
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_array(const u64 *table) {
  u64 numbers[2] = {table[0], table[1]};
  unseen_place(numbers);
}
// CHECK: kernel by_object
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_object(const u64 *table) {
  View view{table[0]};
  view.set();
}
// CHECK: kernel by_temporary
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_temporary(const u64 *table) { View{table[0]}.set(); }
// CHECK: kernel by_destructor
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_destructor(const u64 *table) { Closes closes{table[0]}; }

// Numbers that are pointers to the function that gets their places.
union Word {
  u64 number;
  int *pointer;
  __device__ int *get() { return pointer; }
};
__device__ void store_through(void *place) { **(int **)place = 1; }
// CHECK: kernel by_method
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_method(const u64 *table) {
  Word word;
  word.number = table[0];
  *word.get() = 1;
}
// CHECK: kernel by_bytes
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void by_bytes(const u64 *table) {
  u64 number = table[0];
  store_through(&number);
}
// CHECK: kernel from_null
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void from_null(const u64 *table) { *(int *)((char *)nullptr + table[0]) = 1; }
// CHECK: kernel from_null_element
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void from_null_element(const u64 *table) { *(int *)&((char *)0)[table[0]] = 1; }
// CHECK: kernel assembly_by_place
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void assembly_by_place(const u64 *table) {
  u64 number = table[0];
  asm volatile("{.reg .u64 a; ld.u64 a, [%0]; st.global.u32 [a], 1;}" ::"l"(&number));
}
// CHECK: kernel assembly_of_halves
// CHECK-NEXT: parameter table : {{.*}} unknown
__global__ void assembly_of_halves(const unsigned *table) {
  asm volatile("{.reg .u64 a; mov.b64 a, {%0, %1}; st.global.u32 [a], 1;}" ::"r"(table[0]),
               "r"(table[1]));
}

// Calls that stand nowhere.
__device__ void done(int **pointer) { **pointer = 1; }
// CHECK: kernel cleans_up
// CHECK-NOT: ends
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void cleans_up(int *flag) { int *pointer __attribute__((cleanup(done))) = flag; }
struct Initialises {
  int *pointer;
  int value = (*pointer = 1);
};
// CHECK: kernel initialises
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void initialises(int *flag) { Initialises object{flag}; }

// A bit cast has no form in nvcc's C++17.
#ifdef __clang__
// CLANG: kernel of_cast
// CLANG-NEXT: parameter table : {{.*}} unknown
__global__ void of_cast(const u64 *table) { *__builtin_bit_cast(int *, table[0]) = 1; }
#endif

// What is no address, or was one all the time.
// CHECK: kernel numbers
// CHECK-SAME: ends keeps-globals{{$}}
// CHECK-NEXT: parameter in : {{.*}} read{{$}}
// CHECK-NEXT: parameter out : {{.*}} write{{$}}
__global__ void numbers(const float *in, u64 *out) {
  const float4 four = *reinterpret_cast<const float4 *>(in);
  float *none = nullptr;
  if (none == (float *)0 && (reinterpret_cast<u64>(in) & 15) == 0)
    out[threadIdx.x] = u64(four.x) << 32 | unsigned(four.y);
}
// CHECK: kernel counts
// CHECK-NEXT: parameter out : {{.*}} write{{( anywhere)?$}}
__global__ void counts(u64 *out, u64 factor) {
  u64 high, time;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(factor), "l"(factor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  out[threadIdx.x] = high + time;
}
// CHECK: kernel places
// CHECK-NEXT: parameter in : {{.*}} read{{$}}
// CHECK-NEXT: parameter out : {{.*}} write anywhere{{$}}
struct Counts {
  unsigned count;
  __device__ ~Counts() { count = 0; }
};
union Bits {
  float value;
  unsigned bits;
  __device__ unsigned get() const { return bits; }
};
__device__ void unseen_floats(float *values, int *count);
__global__ void places(const float *in, float *out) {
  float values[4] = {in[0], in[1], in[2], in[3]};
  int count = 0;
  unseen_floats(values, &count);
  Counts counts{1};
  Bits bits{values[0]};
  asm volatile("st.global.u32 [%0], %1;" ::"l"(out + threadIdx.x), "r"(bits.get()));
}
// CLANG: kernel assembly_of_memory
// CLANG-NEXT: parameter in : {{.*}} read{{$}}
// CLANG-NEXT: parameter other : {{.*}} read{{$}}
__global__ void assembly_of_memory(const float4 *in, const float *other, float *out) {
  float4 v;
  asm("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "l"(in + threadIdx.x));
  __shared__ float part[32];
  for (unsigned long i = threadIdx.x; i < 32; i += blockDim.x)
    part[i] = v.x + other[i];
  out[threadIdx.x] = part[31 - threadIdx.x];
}
