// Loops that count by what they got by reference: a variable of the caller's own is as good as a local
// one. So is what nobody writes: constant memory, elements of parameters, what a callee only reads.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %clangxx_cuda -std=c++17 --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck --check-prefixes=CHECK,CLANG %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cuda_runtime.h>
__constant__ unsigned size;
__constant__ struct {
  unsigned extent[3];
} grid;
__device__ unsigned changed;
__device__ void wrap(int &x, int n) {
  while (x < 0)
    x += n;
  while (x >= n)
    x -= n;
}
__device__ void wrap_all(int &x, int &y, int n) {
  wrap(x, n);
  wrap(y, n);
}
__device__ void together(int &x, int &y) {
  while (x < 10) {
    y = changed;
    x += 1;
  }
}
__device__ int *kept;
__device__ void keep(int &x) { kept = &x; }
__device__ int sum(const int &a, const int &b) { return a + b; }
struct Shape {
  int extent[4], dims;
};

// ---- these end ----
// CHECK: kernel periodic {{.*}} ends keeps-globals{{$}}
__global__ void periodic(int *o, const float *a, int n) {
  int x = floorf(a[threadIdx.x]), y = x + 1;
  wrap(x, n);
  wrap_all(x, y, n);
  o[threadIdx.x] = x + y;
}
// CHECK: kernel two_of_them {{.*}} ends keeps-globals{{$}}
__global__ void two_of_them(int *o) {
  int x = o[0], y = 0;
  together(x, y);
  o[1] = y;
}
// CHECK: kernel counter_by_reference {{.*}} ends keeps-globals{{$}}
__global__ void counter_by_reference(int *o) {
  for (int i = 0; i < 8; ++i)
    if (o[i])
      o[i] = sum(i, o[8]);
}
// CHECK: kernel unused {{.*}} ends keeps-globals{{$}}
__global__ void unused(float *o, unsigned n) {
  (void)n;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    o[i] = 1;
}
// CHECK: kernel elements {{.*}} ends keeps-globals{{$}}
__global__ void elements(float *o, Shape s, int k) {
  for (int d = 0; d <= s.dims; ++d)
    for (int i = 0; i <= s.extent[d]; ++i)
      o[i] = s.extent[k];
}
// CLANG: kernel constant_bound {{.*}} ends keeps-globals{{$}}
__global__ void constant_bound(float *o) {
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
    for (unsigned j = 0; j <= grid.extent[i % 3]; j += 2)
      o[i] = 1;
}
// Where it writes, constant memory says, which may be another one at the next launch.
// CLANG: kernel constant_place {{.*}} ends keeps-globals{{$}}
// CLANG-NEXT: parameter o : {{.*}} pointer write anywhere{{$}}
__global__ void constant_place(float *o) {
  if (grid.extent[1] > 2)
    o[threadIdx.x] = 1;
}

// ---- these may wait ----
// CHECK: kernel of_the_block {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void of_the_block(int *o, int n) {
  __shared__ int x;
  wrap(x, n);
  *o = x;
}
// CHECK: kernel in_memory {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void in_memory(int *o, int n) { wrap(o[threadIdx.x], n); }
// CHECK: kernel in_an_object {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void in_an_object(int *o, int n) {
  Shape s = {};
  wrap(s.dims, n);
  *o = s.dims;
}
// CHECK: kernel the_same {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void the_same(int *o) {
  int x = o[0];
  together(x, x);
  *o = x;
}
// CHECK: kernel others_have_it {{.*}}stub={{[^ ]*}}{{$}}
__global__ void others_have_it(int *o, int n) {
  int x = o[0];
  keep(x);
  wrap(x, n);
  *o = x;
}
// CHECK: kernel by_a_pointer {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void by_a_pointer(int *o, int n) {
  int x = o[0], *p = &x;
  wrap(x, n);
  *o = *p;
}
// CHECK: kernel of_all_blocks {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void of_all_blocks(float *o) {
  for (unsigned i = threadIdx.x; i < changed; i += blockDim.x)
    o[i] = 1;
}
// CHECK: kernel written_elements {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void written_elements(int *o, Shape s) {
  for (int i = 0; i <= s.extent[1]; ++i)
    s.extent[1] = o[i];
}
// CHECK: kernel counter_goes_back {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
__global__ void counter_goes_back(int *o) {
  for (int i = 0; i < 8; ++i)
    together(i, o[0]);
}
