// half, bfloat16 and the floats of eight bits: their operators and functions are assembly, and touch
// what they get.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// CHECK: kernel sum {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{$}}
// CHECK-NEXT:   parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter b : {{.*}} pointer read{{$}}
__global__ void sum(__half *out, const __half *a, const __half *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}
// CHECK: kernel residual {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{$}}
// CHECK-NEXT:   parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT:   parameter b : {{.*}} pointer read{{$}}
__global__ void residual(__nv_bfloat16 *out, const __nv_bfloat16 *a, const __nv_bfloat16 *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = (__nv_bfloat16)((float)a[i] + (float)b[i]);
}
// CHECK: kernel accumulate {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter sum : {{.*}} pointer read write
// CHECK-NEXT:   parameter x : {{.*}} pointer read{{$}}
__global__ void accumulate(__half2 *sum, const __half2 *x) {
  const int i = threadIdx.x;
  sum[i] = __hfma2(x[i], x[i], sum[i]);
  sum[i] += x[i];
}
// CHECK: kernel assigned {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{$}}
// CHECK-NEXT:   parameter x : const float * 8 pointer read{{$}}
__global__ void assigned(__half *out, const float *x) { out[threadIdx.x] = x[threadIdx.x]; }
// CHECK: kernel narrow {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter out : {{.*}} pointer write{{$}}
// CHECK-NEXT:   parameter x : const float * 8 pointer read{{$}}
__global__ void narrow(__nv_fp8_e4m3 *out, const float *x) {
  out[threadIdx.x] = __nv_fp8_e4m3(x[threadIdx.x]);
}
// An element of its own address: it may go anywhere.
// CHECK: kernel shuffled {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter x : {{.*}} pointer read write
__global__ void shuffled(__half *x) {
  __half v = x[threadIdx.x];
  for (int o = 16; o; o /= 2)
    v = __hadd(v, __shfl_down_sync(~0u, v, o));
  x[0] = v;
}
// The program's own functions of such numbers count by their bodies.
__device__ __half *kept;
__device__ __half keep(__half &h) {
  kept = &h;
  return h;
}
// CHECK: kernel keeps
// CHECK-NOT: keeps-globals
// CHECK-NEXT:   parameter x : {{.*}} pointer {{.*}}escape
__global__ void keeps(__half *x) { x[1] = keep(x[0]); }
