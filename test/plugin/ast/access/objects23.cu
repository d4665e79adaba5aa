// What is new in C++23: lambdas whose object is a parameter; `if consteval`, which has no condition.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx_cuda -std=c++23 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

// CHECK: kernel of_lambda
// CHECK-NEXT: parameter flag : {{.*}} unknown
__global__ void of_lambda(int *flag) {
  auto put = [flag](this auto self, int v) { *flag = v; };
  put(1);
}
struct Object {
  int *p;
  __device__ void put(this const Object &self, int v) { *self.p = v; }
};
// CHECK: kernel of_object
// CHECK-SAME: keeps-globals
// CHECK-NEXT: parameter flag : {{.*}} write
__global__ void of_object(int *flag) { Object{flag}.put(1); }

__device__ constexpr int pick(int *p) {
  if consteval {
    return 1;
  } else {
    return *p;
  }
}
// CHECK: kernel of_consteval
// CHECK-SAME: ends keeps-globals
// CHECK-NEXT: parameter in : {{.*}} read{{$}}
// CHECK-NEXT: parameter out : {{.*}} write
__global__ void of_consteval(int *in, int *out) {
  if !consteval {
    *out = pick(in);
  }
}
