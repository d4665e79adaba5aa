// Writes by closures that the host makes: regular as those of other objects are (regular_objects.cu).
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 --extended-lambda %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

template <class T> struct View {
  T *p;
  int nx;
  __device__ T &operator()(int i, int j) const { return p[i + nx * j]; }
};

template <class F> __global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}
template <class F> void parallelFor(int n, const F &f) {
  each<<<n, 32>>>(n, [=] __device__(int i) { f(2 * i); });
}
// The last one comes first.
// CHECK-LABEL: kernel each<{{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
// CHECK-LABEL: kernel each<{{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
// CHECK-LABEL: kernel each<{{.*}}
// CHECK: parameter f : {{.*}} aggregate read write anywhere{{$}}
// CHECK-LABEL: kernel each<{{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
void host(float *p, float *q, const int *index, int n) {
  each<<<n, 32>>>(n, [=] __device__(int i) { p[i] = n; });
  each<<<n, 32>>>(n, [=] __device__(int i) { p[index[i]] = 4; });
  View<float> v{q, n};
  each<<<n, 32>>>(n, [=] __device__(int i) { v(i, 0) = 4; });
  parallelFor(n, [=] __device__(int i) { v(i, 0) = 4; });
}
