// assert() does not hide a kernel, whatever of CUDA's headers includes <assert.h> again; one that the
// device has otherwise does.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// CHECK: kernel asserts {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void asserts(const float *a, float *o) {
  int i = threadIdx.x;
  assert(a[i] > 0);
  assert(a[i] < 9 && "not too much");
  o[i] = a[i];
}

// By both sides, after the host alone had it.
#ifndef __CUDA_ARCH__
#define BY_BOTH(x) x = 3
#endif
#undef BY_BOTH
#define BY_BOTH(x) x = 2
// CHECK: kernel by_both {{.*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void by_both(int *o) { BY_BOTH(o[threadIdx.x]); }

// ---- what may differ ----
// Between the two the device has another one.
#define BETWEEN(x) x = 1
#ifndef __CUDA_ARCH__
#include "Inputs/again/between_undefined.h"
#endif
#undef BETWEEN
#define BETWEEN(x) (void)x
#ifndef __CUDA_ARCH__
#include "Inputs/again/between_again.h"
#endif
// CHECK: kernel between {{.*}}
// CHECK-NEXT: parameter o : {{.*}} unknown{{$}}
__global__ void between(int *o) { BETWEEN(o[threadIdx.x]); }

#define OTHERWISE(x) x = 1
#ifndef __CUDA_ARCH__
#include "Inputs/again/otherwise.h"
#endif
// CHECK: kernel otherwise {{.*}}
// CHECK-NEXT: parameter o : {{.*}} unknown{{$}}
__global__ void otherwise(int *o) { OTHERWISE(o[threadIdx.x]); }

// Undefined by the host alone, so that it is there for the device.
#define GONE(x) x = 1
#ifndef __CUDA_ARCH__
#include "Inputs/again/gone.h"
#endif
// CHECK: kernel gone {{.*}}
// CHECK-NEXT: parameter o : {{.*}} unknown{{$}}
__global__ void gone(int *o) {
#ifdef GONE
  GONE(o[threadIdx.x]);
#endif
}

#ifdef __CUDA_ARCH__
#undef assert
#define assert(x) (x)
#endif
// CHECK: kernel asserts_otherwise {{.*}}
// CHECK-NEXT: parameter o : {{.*}} unknown{{$}}
__global__ void asserts_otherwise(int *o) { assert(o[threadIdx.x] = 1); }
