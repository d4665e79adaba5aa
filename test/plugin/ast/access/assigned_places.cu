// An assignment is the variable that it sets: who gets it so may set it again. Of a bit-field the bits beside it stay.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

__device__ void set(int &at, int to) { at = to; }

// CHECK-LABEL: kernel set_twice {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write anywhere{{$}}
__global__ void set_twice(const int *x, int *s) {
  int j = 0;
  (++j) = x[0];
  s[j] = 1;
}
// CHECK-LABEL: kernel set_in_turn {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void set_in_turn(const int *x, int *s, int n) {
  int j, i = threadIdx.x;
  ++i, j = n;
  for (int k = 0; k < n; ++k, ++i) s[j] = i;
  s[(++i, i = 3)] = 1;
}
// CHECK-LABEL: kernel refers {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void refers(const int *x, int *s) {
  int j = 3;
  int &r = ++j;
  s[j] = 0;
  r = x[0];
  s[j] += 1;
}
// CHECK-LABEL: kernel points {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void points(const int *x, int *s) {
  int j = 3;
  int *r = &(j = 2);
  s[j] = 0;
  *r = x[0];
  s[j] += 1;
}
// CHECK-LABEL: kernel behind_comma {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void behind_comma(const int *x, int *s, int n) {
  int j = 3, l = 2;
  int &r = n ? (l, j += 2) : --l;
  s[j] = 0;
  r = x[0];
  s[j] += 1;
}
// CHECK-LABEL: kernel captures {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void captures(const int *x, int *s) {
  int j = 3;
  auto change = [&r = ++j](int to) { r = to; };
  s[j] = 0;
  change(x[0]);
  s[j] += 1;
}
// CHECK-LABEL: kernel gives_away {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write anywhere{{$}}
__global__ void gives_away(const int *x, int *s) {
  int j = 3;
  s[j] = 0;
  set(j = 4, x[0]);
  s[j] += 1;
}
// CHECK-LABEL: kernel reads_it {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void reads_it(int *s, int n) {
  int j = 3, l = ++j;
  s[j] = 0;
  s[j] += l + (l = 3);
}

struct Bits {
  unsigned a : 3, b : 5;
  unsigned short whole;
};
// CHECK-LABEL: kernel bits {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void bits(Bits *s) { s[threadIdx.x].a = 1; }
// CHECK-LABEL: kernel steps_bits {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{$}}
__global__ void steps_bits(Bits *s) { ++s[threadIdx.x].b; }
__device__ void clear(Bits &one) { one.b = 0; }
// CHECK-LABEL: kernel handed_bits {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer read write{{.*}}
__global__ void handed_bits(Bits *s) { clear(s[threadIdx.x]); }
// CHECK-LABEL: kernel bits_of_written {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void bits_of_written(Bits *s) {
  int i = threadIdx.x;
  s[i] = Bits();
  s[i].a = 1;
  s[i].b += 1;
}
// CHECK-LABEL: kernel beside_bits {{.*}}
// CHECK: parameter s : {{.*}} 8 pointer write{{$}}
__global__ void beside_bits(Bits *s) { s[threadIdx.x].whole = 1; }
