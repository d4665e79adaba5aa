// A closure that captures by reference and stays in its kernel: what it does is part of what the kernel does.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o > %t.clang.txt
// RUN: %FileCheck %s < %t.clang.txt
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>

template <class Body> __device__ void each(int n, Body body) {
  for (int i = 0; i < n; ++i)
    body(i);
}
template <class Body> __device__ void twice(const Body &body) {
  body();
  body();
}

// CHECK: kernel reads_by_closure
// CHECK-NEXT: parameter in : {{.*}} pointer read{{ *$}}
// CHECK-NEXT: parameter out : {{.*}} pointer write{{ *$}}
__global__ void reads_by_closure(const float *in, float *out, int n) {
  auto load = [&](int i) { return i < n ? in[i] : 0; };
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = load(i) + load(i + 1);
}
// CHECK: kernel writes_by_closure
// CHECK-NEXT: parameter in : {{.*}} pointer read{{ *$}}
// CHECK-NEXT: parameter out : {{.*}} pointer write anywhere{{ *$}}
__global__ void writes_by_closure(const float *in, float *out) {
  auto store = [&](int i, float value) { out[i] = value; };
  store(threadIdx.x, in[threadIdx.x]);
}
// CHECK: kernel hands_it_on
// CHECK-NEXT: parameter in : {{.*}} pointer read{{ *$}}
// CHECK-NEXT: parameter out : {{.*}} pointer write anywhere{{ *$}}
__global__ void hands_it_on(const float *in, float *out, int n) {
  each(n, [&](int i) { out[i] = in[i]; });
}
// One that captures both ways, and one inside another.
// CHECK: kernel both_ways
// CHECK-NEXT: parameter in : {{.*}} pointer read{{ *$}}
// CHECK-NEXT: parameter out : {{.*}} pointer read write anywhere{{ *$}}
__global__ void both_ways(const float *in, float *out, int n) {
  float sum = 0;
  auto add = [=, &sum](int i) {
    auto inner = [&] { sum += in[i] + out[n]; };
    inner();
  };
  each(n, add);
  auto put = [&] { twice([&] { out[0] = sum; }); };
  put();
}
// What it puts into the kernel's variables counts wherever they are read.
// CHECK: kernel moves_a_pointer
// CHECK-NEXT: parameter in : {{.*}} pointer read write anywhere{{ *$}}
// CHECK-NEXT: parameter out : {{.*}} pointer read write anywhere{{ *$}}
__global__ void moves_a_pointer(float *in, float *out) {
  float *to = out, *from = in;
  auto swap = [&] {
    float *kept = to;
    to = from;
    from = kept;
  };
  swap();
  to[threadIdx.x] = from[0];
}
// CHECK: kernel not_called
// CHECK-NEXT: parameter in : {{.*}} pointer read{{ *$}}
// CHECK-NEXT: parameter out : {{.*}} pointer write{{ *$}}
__global__ void not_called(const float *in, float *out, bool first) {
  auto later = [&] { return in[1]; };
  out[threadIdx.x] = in[0];
  if (first)
    (void)later;
}
// Addresses that come in or go out are followed no further.
// CHECK: kernel gets_addresses
// CHECK-NEXT: parameter in : {{.*}} pointer {{.*}}escape
// CHECK-NEXT: parameter out : {{.*}} pointer {{.*}}escape
__global__ void gets_addresses(const float *in, float *out) {
  auto copy = [&](float *to) { *to = in[0]; };
  copy(out + threadIdx.x);
  auto which = [&](int i) { return i ? in : out; };
  out[0] = *which(1);
}
// CHECK: kernel any_argument
// CHECK-NEXT: parameter out : {{.*}} pointer {{.*(write|escape)}}
__global__ void any_argument(float *out) {
  auto put = [&](auto value) { out[0] = value; };
  put(1);
  put(2.0f);
}
struct Field {
  float *data;
  int n;
  // The object's own are captured with `this`.
  __device__ void clear() {
    auto zero = [&](int i) { data[i] = 0; };
    each(n, zero);
  }
};
// CHECK: kernel of_an_object
// CHECK-NEXT: parameter field : {{.*}} aggregate {{.*(escape|unknown)}}
__global__ void of_an_object(Field field) { field.clear(); }

int main() {
  reads_by_closure<<<1, 1>>>(nullptr, nullptr, 0);
  writes_by_closure<<<1, 1>>>(nullptr, nullptr);
  hands_it_on<<<1, 1>>>(nullptr, nullptr, 0);
  both_ways<<<1, 1>>>(nullptr, nullptr, 0);
  moves_a_pointer<<<1, 1>>>(nullptr, nullptr);
  not_called<<<1, 1>>>(nullptr, nullptr, true);
  gets_addresses<<<1, 1>>>(nullptr, nullptr);
  any_argument<<<1, 1>>>(nullptr);
  of_an_object<<<1, 1>>>(Field{});
}
