// Closures with `auto` parameters in kernels: what their instances do with what they captured by
// reference is known, as it is of others, unless they get or give what leads to memory.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck --check-prefixes=CHECK,CLANG %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck --check-prefixes=CHECK,NVCC %s < %t.txt
#include <cuda_runtime.h>
template <class Visitor> __device__ void neighbours(int i, int n, Visitor visit) {
  for (int d = -1; d <= 1; ++d)
    if (i + d >= 0 && i + d < n)
      visit(i + d);
}
// CHECK: kernel visits {{.*}}stub=
// CLANG-NEXT: parameter z : {{.*}} pointer read{{$}}
// CLANG-NEXT: parameter x : {{.*}} pointer write{{( anywhere)?$}}
// NVCC-NEXT: parameter z : {{.*}} pointer {{read$|.*unknown}}
// NVCC-NEXT: parameter x : {{.*}} pointer {{write( anywhere)?$|.*unknown}}
__global__ void visits(const float *z, float *x, int n) {
  float s = 0;
  neighbours(threadIdx.x, n, [&](auto j) {
    s += z[j];
    x[j] = s;
  });
}
// CHECK: kernel twice {{.*}}stub=
// CLANG-NEXT: parameter z : {{.*}} pointer read{{$}}
// CLANG-NEXT: parameter x : {{.*}} pointer read write{{( anywhere)?$}}
// NVCC-NEXT: parameter z : {{.*}} pointer {{read$|.*unknown}}
// NVCC-NEXT: parameter x : {{.*}} pointer {{read write( anywhere)?$|.*unknown}}
__global__ void twice(const float *z, float *x) {
  auto add = [&](auto v, int i) { x[i] += v * z[i]; };
  add(1, 2);
  add(1.5f, threadIdx.x);
}
// CHECK: kernel gets_a_pointer {{.*}}stub=
// CHECK-NEXT: parameter z : {{.*}}
// CHECK-NEXT: parameter x : {{.*}} pointer {{.*(write|escape|unknown)}}
__global__ void gets_a_pointer(float *z, float *x) {
  auto put = [&](auto p) { p[threadIdx.x] = z[0]; };
  put(x);
}
// CHECK: kernel gives_a_pointer {{.*}}stub=
// CHECK-NEXT: parameter z : {{.*}} pointer {{.*(write|escape|unknown)}}
__global__ void gives_a_pointer(float *z) {
  auto where = [&](auto i) { return z + i; };
  *where(threadIdx.x) = 1;
}
