// Elements of packs and of vectors, and structured bindings that are packs.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -std=c++26 --cuda-host-only -Wno-c++26-extensions %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

using Pair = int __attribute__((vector_size(8)));
using Two = int __attribute__((ext_vector_type(2)));
struct Holder {
  Pair pair;
};
struct Pointers {
  int *first, *second;
};

// CHECK: kernel element
// CHECK-NEXT: parameter pair : {{.*}} 8 pointer write
__global__ void element(Pair *pair) { (*pair)[0] = 1; }
// CHECK: kernel element_of_member
// CHECK-NEXT: parameter holder : {{.*}} 8 pointer write
__global__ void element_of_member(Holder *holder) { holder->pair[1] = 1; }
// CHECK: kernel element_of_reference
// CHECK-NEXT: parameter pair : {{.*}} 8 pointer read write
__global__ void element_of_reference(Pair *pair) {
  Pair &it = *pair;
  it[1] += 1;
}
// CHECK: kernel of_opencl
// CHECK-NEXT: parameter pair : {{.*}} 8 pointer write
__global__ void of_opencl(Two *pair) { (*pair).y = 1; }
// CHECK: kernel element_read
// CHECK-NEXT: parameter pair : {{.*}} 8 pointer read{{$}}
// CHECK-NEXT: parameter out : {{.*}} 8 pointer write
__global__ void element_read(const Pair *pair, int *out) { *out = (*pair)[0]; }

template <typename... T> __device__ void second(T... pointers) { *pointers...[1] = 1; }
template <typename... T> __device__ void secondPlace(T &...places) { places...[1] = 1; }
// CHECK: kernel of_pack
// CHECK-NEXT: parameter flag : {{.*}} 8 pointer write
// CHECK-NEXT: parameter other : {{.*}} 8 pointer{{$}}
__global__ void of_pack(int *flag, int *other) { second(other, flag); }
// CHECK: kernel of_places
// CHECK-NEXT: parameter flag : {{.*}} 8 pointer write
__global__ void of_places(int *flag, int *other) { secondPlace(*other, *flag); }

template <typename T> __device__ void bindAll(T of) {
  auto [... all] = of;
  *all...[1] = 1;
}
// CHECK: kernel of_bindings
// CHECK-NEXT: parameter flag : {{.*}} 8 pointer write
__global__ void of_bindings(int *flag, int *other) { bindAll(Pointers{other, flag}); }
