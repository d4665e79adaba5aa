// Classes that a kernel declares: under nvcc their functions are disabled inside its disabled body.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>
// CHECK: kernel mean {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void mean(const float *a, float *o, int n) {
  struct Sum {
    float s;
    int c;
    __device__ void add(float v) {
      s += v;
      ++c;
    }
    __device__ float mean() const { return s / c; }
    __device__ void nothing() {}
  };
  Sum sum = {0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum.add(a[i]);
  sum.nothing();
  o[threadIdx.x] = sum.mean();
}
// CHECK: kernel writes {{.*}}stub=
// CHECK-NEXT: parameter o : {{.*}} pointer {{.*(write|unknown)}}
__global__ void writes(float *o) {
  struct Cell {
    float *p;
    __device__ void set(float v) const { p[threadIdx.x] = v; }
  };
  Cell{o}.set(1);
}
// CHECK: kernel shares_a_union {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read write{{( anywhere)?$}}
__global__ void shares_a_union(float *a) {
  __shared__ union {
    float f[32];
    int i[32];
  } s;
  __shared__ struct Pair {
    float x, y;
  } p, q[2];
  s.f[threadIdx.x] = a[threadIdx.x];
  p.x = q[1].y = 1;
  __syncthreads();
  a[threadIdx.x] = s.f[31 - threadIdx.x] + p.x + q[1].y;
}
