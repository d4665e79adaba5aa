// Complex numbers, atomic objects, arrays, spans, textures and the grid's group of CUDA's headers are
// known. Twins of the program's own count by what they do.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl, nvcc
// RUN: %clangxx_cuda -std=c++17 %cccl --cuda-host-only %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// RUN: %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o > %t.txt
// RUN: %FileCheck %s < %t.txt
#include <cooperative_groups.h>
#include <cuComplex.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/span>
#include <cuda_runtime.h>
#include <thrust/complex.h>
namespace cg = cooperative_groups;

// ---- numbers ----
// CHECK: kernel cu_complex {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void cu_complex(const cuFloatComplex *a, cuFloatComplex *o) {
  int i = threadIdx.x;
  o[i] = cuCaddf(cuCmulf(a[i], cuConjf(a[i])), make_cuFloatComplex(cuCabsf(a[i]), 0));
}
// CHECK: kernel thrust_complex {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void thrust_complex(const thrust::complex<float> *a, thrust::complex<float> *o) {
  int i = threadIdx.x;
  thrust::complex<float> z(1, a[i].imag());
  z += a[i] * 2.0f;
  o[i] = z * z + thrust::exp(a[i]) + thrust::polar(1.0f, thrust::abs(z));
}
// CHECK: kernel thrust_complex_in_place {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer read write{{( anywhere)?$}}
__global__ void thrust_complex_in_place(thrust::complex<double> *o) { o[threadIdx.x] *= 2.0; }
// CHECK: kernel std_complex {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void std_complex(const cuda::std::complex<float> *a, cuda::std::complex<float> *o) {
  int i = threadIdx.x;
  o[i] = a[i] * a[i] / cuda::std::complex<float>(1, 2);
}

// ---- containers ----
// CHECK: kernel spans {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} read{{$}}
// CHECK: parameter o : {{.*}} write{{( anywhere)?$}}
__global__ void spans(cuda::std::span<const float> a, cuda::std::span<float> o) {
  unsigned i = threadIdx.x;
  if (i < a.size())
    o[i] = a[i];
}
// CHECK: kernel arrays {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
__global__ void arrays(const float *a, float *o) {
  cuda::std::array<float, 4> x{a[threadIdx.x], 1, 2, 3};
  float s = x[1];
  for (float f : x)
    s += f;
  o[threadIdx.x] = s;
}

// ---- atomic objects ----
// CHECK: kernel refers {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter c : {{.*}} pointer read write{{( anywhere)?$}}
// CHECK-NEXT: parameter v : {{.*}} pointer read{{$}}
__global__ void refers(int *c, const int *v) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(c[v[threadIdx.x]]);
  r.fetch_add(1, cuda::memory_order_relaxed);
  cuda::std::atomic_ref<int>(c[0])++;
}
// CHECK: kernel counts {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter c : {{.*}} pointer read write{{( anywhere)?$}}
// CHECK-NEXT: parameter v : {{.*}} pointer read{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void counts(cuda::atomic<int> *c, const int *v, int *o) {
  int i = threadIdx.x, expected = 0;
  c[v[i]].fetch_add(1);
  ++c[0];
  if (c[1].compare_exchange_strong(expected, 2))
    o[i] = expected;
}
// CHECK: kernel looks {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter c : {{.*}} pointer read{{$}}
__global__ void looks(cuda::std::atomic<float> *c, float *o) { o[threadIdx.x] = c->load() + *c; }
// It may be of another kernel's thread that another value comes.
// CHECK: kernel spins {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void spins(cuda::std::atomic<int> *c, int *o) {
  while (!c->load())
    ;
  *o = 1;
}
// CHECK: kernel spins_by_reference {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void spins_by_reference(int *c, int *o) {
  cuda::atomic_ref<int> r(*c);
  int expected = 0;
  while (!r.compare_exchange_weak(expected, 1))
    expected = 0;
  *o = 1;
}
// CHECK: kernel waits {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void waits(cuda::std::atomic<int> *c, int *o) {
  c->wait(0);
  *o = 1;
}
// CHECK: kernel keeps_address {{.*}}stub=
// CHECK-NEXT: parameter c : {{.*}} unknown{{$}}
// CHECK-NEXT: parameter o : {{.*}} escape{{( unknown)?$}}
__global__ void keeps_address(cuda::std::atomic<int *> *c, int *o) { c->store(o + threadIdx.x); }

// ---- textures ----
// Memory that they read is behind no argument. The runtime counts it as read and written by anybody
// as soon as an object is made for it (test/e2e/waste/traps/texture.cu).
// CHECK: kernel textures {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter t : {{[^ ]*( long long)?}} 8{{$}}
// CHECK-NEXT: parameter o : {{.*}} pointer write{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
__global__ void textures(cudaTextureObject_t t, float *o, const float *a) {
  int i = threadIdx.x;
  float4 v = tex2D<float4>(t, i, 0.5f);
  o[i] = a[i] + tex1Dfetch<float>(t, i) + v.x + tex3D<float>(t, 1, 2, i);
}
// CHECK: kernel texture_into {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK: parameter o : {{.*}} pointer write{{( anywhere)?$}}
__global__ void texture_into(cudaTextureObject_t t, float *o) { tex1D(&o[threadIdx.x], t, 0.5f); }
// What a surface writes may be anything, but none of the other arguments.
// CHECK: kernel surfaces {{.*}}stub={{[^ ]*$}}
// CHECK-NEXT: parameter t : {{[^ ]*( long long)?}} 8{{$}}
// CHECK-NEXT: parameter a : {{.*}} pointer read{{$}}
__global__ void surfaces(cudaSurfaceObject_t t, const float *a) {
  surf2Dwrite(a[threadIdx.x], t, threadIdx.x * 4, 0);
}

// ---- the grid's group ----
// CHECK: kernel grid_stride {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT: parameter x : {{.*}} pointer write{{$}}
__global__ void grid_stride(float *x, long n) {
  auto grid = cg::this_grid();
  for (auto i = grid.thread_rank(); i < n; i += grid.size())
    x[i] = 1;
}
// CHECK: kernel grid_sync {{.*}}stub={{[^ ]*$}}
// CHECK-NEXT: parameter x : {{.*}} pointer read write{{( anywhere)?$}}
__global__ void grid_sync(float *x) {
  auto grid = cg::this_grid();
  x[grid.thread_rank()] += 1;
  grid.sync();
  x[grid.thread_rank()] *= 2;
}
__device__ void meet(const cg::grid_group &grid) { cg::sync(grid); }
// CHECK: kernel grid_in_callee {{.*}}stub={{[^ ]*$}}
__global__ void grid_in_callee(float *x) {
  meet(cg::this_grid());
  *x = 1;
}
// CHECK: kernel grid_halves {{.*}}stub={{[^ ]*$}}
__global__ void grid_halves(float *x) {
  auto grid = cg::this_grid();
  auto token = grid.barrier_arrive();
  *x = 1;
  grid.barrier_wait(std::move(token));
}

// ---- the program's own ----
namespace own {
template <class T> struct complex {
  T re, im;
  T *kept;
  __device__ complex operator*(const complex &o) const {
    *kept = o.re;
    return {re * o.re, im, kept};
  }
};
template <class T> struct atomic_ref {
  T &object;
  __device__ T fetch_add(T v) {
    while (*(volatile T *)&object)
      ;
    return v;
  }
};
__device__ float tex1Dfetch(float *t, int i) {
  t[i] = 1;
  return 0;
}
} // namespace own
__device__ float tex1Dfetch(float *t, float i) {
  t[int(i)] = 1;
  return 0;
}
// CHECK: kernel own_complex {{.*}}stub={{[^ ]*}}
// CHECK-NEXT: parameter a : {{.*}} {{unknown|follow}}{{$}}
__global__ void own_complex(const own::complex<float> *a, float *o) {
  o[threadIdx.x] = (a[0] * a[1]).re;
}
// CHECK: kernel own_atomic {{.*}}stub={{[^ ]*}}{{( keeps-globals)?$}}
__global__ void own_atomic(int *c) { own::atomic_ref<int>{*c}.fetch_add(1); }
// CHECK: kernel own_texture {{.*}}stub={{[^ ]*}}
// CHECK-NEXT: parameter o : {{.*}} pointer {{.*}}write
// CHECK-NEXT: parameter p : {{.*}} pointer {{.*}}write
__global__ void own_texture(float *o, float *p) {
  own::tex1Dfetch(o, 1);
  tex1Dfetch(p, 1.0f);
}
