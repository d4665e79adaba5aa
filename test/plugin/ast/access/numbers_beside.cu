// Numbers beside pointers: an address can travel in them, as in a parameter of their own.
// SPDX-License-Identifier: Apache-2.0
//
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
typedef unsigned long long u64;

struct Slot {
  u64 *out;
  u64 value;
};
// CHECK: kernel keep {{.*}} ends keeps-globals
// CHECK-NEXT: parameter s : Slot 16 aggregate write{{$}}
// CHECK-NEXT: {{^}}    number at 8 unknown{{$}}
__global__ void keep(Slot s) { s.out[0] = s.value; }

struct Both {
  float *a;
  long n;
  float *b;
  int4 size;
};
// CHECK: kernel several
// CHECK-NEXT: parameter s : Both 48 aggregate read write{{$}}
// CHECK-NEXT: {{^}}    member at 0 write{{$}}
// CHECK-NEXT: {{^}}    number at 8 unknown{{$}}
// CHECK-NEXT: {{^}}    member at 16 read{{$}}
// CHECK-NEXT: {{^}}    number at 32 unknown{{$}}
// CHECK-NEXT: {{^}}    number at 40 unknown{{$}}
// CHECK-NEXT: kernel
__global__ void several(Both s) { s.a[threadIdx.x] = s.b[threadIdx.x]; }

struct Parts {
  u64 *out;
  u64 low : 32, high : 32;
};
// CHECK-SAME: parts
// CHECK-NEXT: parameter s
// CHECK-NEXT: {{^}}    number at 8 unknown{{$}}
// CHECK-NEXT: kernel
__global__ void parts(Parts s) { s.out[0] = s.low | s.high << 32; }

union Any {
  u64 *at;
  u64 number;
};
struct Tagged {
  u64 *out;
  Any any;
};
// CHECK-SAME: tagged
// CHECK-NEXT: parameter s
// CHECK: {{^}}    number at 8 unknown{{$}}
__global__ void tagged(Tagged s) { s.out[0] = s.any.number; }

// What is too small for an address, and no integer.
struct Plain {
  float *p;
  int width, height;
  double by;
  float4 color;
  int sizes[200];
  void *more[2];
};
// CHECK: kernel plain
// CHECK-NOT: number at
// CHECK: joined
__global__ void plain(Plain s) { s.p[threadIdx.x] = s.by * s.width; }
