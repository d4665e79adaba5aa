// What lambdas hold by copy, by reference and by init captures; members called through pointers.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %FileCheck --check-prefix=EACH %s < %t.clang.txt
// RUN: %nvcc -std=c++17 --extended-lambda %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=EACH %s < %t.txt
#include <cuda_runtime.h>

// CHECK: kernel init_capture
// CHECK-NEXT: parameter flag : {{.*}} write{{( anywhere)?$}}
// CHECK-NEXT: parameter x : {{.*}} read{{$}}
__global__ void init_capture(int *flag, const float *x) {
  auto put = [p = flag, n = 5, x](int i) {
    if (x[i] < n)
      *p = 1;
  };
  put(threadIdx.x);
}
// CHECK: kernel init_reference
// CHECK-NEXT: parameter flag : {{.*}} write
__global__ void init_reference(int *flag) {
  auto put = [&to = *flag] { to = 1; };
  put();
}
// CHECK: kernel returned
// CHECK-NEXT: parameter flag : {{.*}} write
__global__ void returned(int *flag) {
  auto make = [](int *p) { return [q = p] { *q = 1; }; };
  make(flag)();
}
// The number is no memory that is read.
// CHECK: kernel copied_number
// CHECK-NEXT: parameter out : {{.*}} write{{( anywhere)?$}}
__global__ void copied_number(int *out, int n) {
  auto put = [=](int i) {
    if (i < n)
      out[i] = n;
  };
  put(threadIdx.x);
}
// CHECK: kernel replaced
// CHECK-NEXT: parameter flag : {{.*}} escape
__global__ void replaced(int *flag, int *other) {
  auto put = [other](int *to) mutable {
    other = to;
    *other = 1;
  };
  put(flag);
}
// Of both sides, as lambdas in kernels are, and what it calls is the device's alone.
__device__ int loaded(const float *x, int i) { return x[i]; }
template <class F> __device__ int applied(F f) { return f(threadIdx.x); }
// CHECK: kernel calls_the_device
// CHECK-NEXT: parameter flag : {{.*}} write{{( anywhere)?$}}
// CHECK-NEXT: parameter x : {{.*}} read{{$}}
__global__ void calls_the_device(int *flag, const float *x) {
  auto load = [=](int i) { return loaded(x, i); };
  int sum = load(0);
  sum += applied([=](int i) { return applied([=](int j) { return loaded(x, i + j); }); });
  *flag = sum;
}
struct Object {
  int *p;
  __device__ void run(bool b) {
    if (b)
      *p = 1;
  }
};
// CHECK: kernel member_pointer
// CHECK-NEXT: parameter object : {{.*}} unknown
__global__ void member_pointer(Object object) {
  void (Object::*member)(bool) = &Object::run;
  (object.*member)(true);
}
// EACH: kernel each<
template <class F> __global__ void each(int n, F f) {
  if (threadIdx.x < n)
    f(threadIdx.x);
}
// EACH: parameter f : {{.*}} aggregate read write
void launch(int *flag, const float *x, int n) {
  each<<<1, 32>>>(n, [x, p = flag] __device__(int i) {
    if (x[i] < 0)
      *p = 1;
  });
}
