// Functions that make numbers of numbers, builtins and the libraries' constexpr ones, leave a kernel's
// facts known. Those of the program count by what they do.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl, nvcc
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 --expt-relaxed-constexpr %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <algorithm>
#include <cmath>
#include <cuda/cmath>
#include <cuda/std/bit>
#include <cuda/std/numeric>
#include <cuda_runtime.h>
#include <limits>
__device__ int calls;
__device__ float *elsewhere;

// CHECK: kernel infinities {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void infinities(const float *a, float *o, int n) {
  float best = -INFINITY;
  for (int i = 0; i < n; ++i)
    best = fmaxf(best, a[i]);
  o[threadIdx.x] = best == HUGE_VALF ? NAN : best;
}
// CHECK: kernel not_a_number {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void not_a_number(double *o) { o[threadIdx.x] = nan("") + nanf("1"); }
// CHECK: kernel lengths {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void lengths(const float *a, float *o) {
  float v[2] = {a[0], a[1]};
  o[threadIdx.x] = normf(3, a + threadIdx.x) * rnormf(2, v) + __fns(7, 0, 2);
}
// CHECK: kernel limits {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void limits(const float *a, float *o) {
  float v = std::max(a[threadIdx.x], std::numeric_limits<float>::lowest());
  o[threadIdx.x] = std::min(v, std::numeric_limits<float>::max());
}
// CHECK: kernel bits {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void bits(const unsigned *a, int *o, int n) {
  unsigned v = a[threadIdx.x];
  if (threadIdx.x < cuda::ceil_div(n, 4))
    o[threadIdx.x] = cuda::std::popcount(v) + cuda::std::countl_zero(v) + cuda::std::gcd(v, 12u) +
                     cuda::std::rotl(v, 3) + cuda::std::bit_cast<int>(1.0f);
}
// CHECK: kernel bounds {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
__global__ void bounds(float *o, unsigned n) {
  for (unsigned i = threadIdx.x; i < cuda::ceil_div(n, 4u); i += blockDim.x)
    o[i] = 1;
}

// ---- others of such names ----
namespace own {
__device__ inline int ceil_div(int a, int b) { return atomicAdd(&calls, (a + b - 1) / b); }
struct Size {
  int n;
  __device__ friend bool operator<(const Size &a, const Size &b) {
    elsewhere[a.n] = 1;
    return a.n < b.n;
  }
};
} // namespace own
// CHECK: kernel of_its_own {{.*}}stub={{[^ ]*}} ends{{$}}
__global__ void of_its_own(int *o, int n) { o[threadIdx.x] = own::ceil_div(n, 4); }
// CHECK: kernel with_operators {{.*}}stub={{[^ ]*}}{{( ends)?$}}
__global__ void with_operators(int *o, int n) {
  o[threadIdx.x] = cuda::std::max(own::Size{n}, own::Size{1}).n;
}
