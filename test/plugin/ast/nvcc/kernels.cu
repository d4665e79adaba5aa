// Kernels under nvcc, whose bodies cudafe++ disabled: templates, members, lambdas, variables. Unknown
// wherever the device compile may read something else.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: nvcc
// RUN: %nvcc -std=c++17 --extended-lambda -rdc=true -I%S/Inputs %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o > %t.txt 2> %t.err
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck %s --check-prefix=SILENT --allow-empty < %t.err
// RUN: %nvcc -std=c++17 --extended-lambda -rdc=true -I%S/Inputs -c %s -o %t.plain.o
// Nothing of the bodies gets into the host's code.
// RUN: %llvm-nm %t.o | %FileCheck %s --check-prefix=HOST
// SILENT-NOT: gpuinstr
// SILENT-NOT: error
// HOST-NOT: {{[TtWw]}} {{.*}}only_on_device
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nv/target>
#include "config.h"

template <class T> struct View {
  T *data;
  int n;
  __device__ View(T *p, int m) : data(p), n(m) {}
  __device__ T get(int i) const { return data[i]; }
  __device__ T &at(int i) { return data[i]; }
};
template <class T> struct Twice {
  __device__ T operator()(T x) const { return x + x; }
};
template <> struct Twice<double> {
  __device__ double operator()(double x) const { return 2 * x; }
};
__device__ inline float only_on_device(const float *p) { return p[1]; }
template <class T> __device__ T first(const T *p) { return p[0]; }
__device__ int counter;

namespace outer {
namespace {
__global__ void hidden(const float *p, float *q) { q[threadIdx.x] = only_on_device(p) + first(p); }
} // namespace
} // namespace outer

// CHECK: kernel transform<double, Twice<double>{{ ?}}> {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : const double * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : double * 8 pointer write{{( anywhere)?$}}
// CHECK: kernel transform<float, Twice<float>{{ ?}}> {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter in : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write{{( anywhere)?$}}
template <class T, class F> __global__ void transform(const T *in, T *out, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = f(in[i]);
}
// CHECK-DAG: parameter f : __nv_dl_wrapper_t<{{.*}}main, 1>, float *> 8 aggregate write{{( anywhere)?$}}
// CHECK-DAG: parameter f : __nv_dl_wrapper_t<{{.*}}main, 2>, float *, float *> 16 aggregate read write{{( anywhere)?$}}
// CHECK-DAG: parameter f : __nv_dl_wrapper_t<{{.*}}main, float, 3>, float *> 8 aggregate read{{$}}
// CHECK-DAG: parameter f : __nv_dl_wrapper_t<{{.*}}main, 4>, float *> 8 aggregate {{(escape )?}}unknown{{$}}
// CHECK-DAG: parameter f : __nv_hdl_wrapper_t<{{.*}} aggregate {{.*}}unknown{{$}}
// CHECK-DAG: parameter f : __nv_dl_wrapper_t<{{.*}}run{{.*}}, 1>, double *> 8 aggregate write{{( anywhere)?$}}
// CHECK: kernel views {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter a : float * 8 pointer write{{( anywhere)?$}}
// CHECK-NEXT:   parameter b : float * 8 pointer read{{$}}
__global__ void __launch_bounds__(128) views(float *a, float *b) {
  View<float> v(a, 4), w{b, 4};
  v.at(1) = w.get(2);
}
// CHECK: kernel block_sum {{.*}} ends
// CHECK-NEXT:   parameter in : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter out : float * 8 pointer write{{( anywhere)?$}}
__global__ void block_sum(const float *__restrict__ in, float *out) {
  extern __shared__ float part[];
  part[threadIdx.x] = in[threadIdx.x];
#pragma unroll 2
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  out[0] = part[0];
}
// CHECK: kernel counts {{.*}}stub={{[^ ]*}} ends{{$}}
// CHECK-NEXT:   parameter p : int * 8 pointer read write{{( anywhere)?$}}
__global__ void counts(int *p) {
  counter = atomicAdd(p, 1);
  p[1] = __popc(p[2]) + (int)__fadd_rn(1.f, 2.f);
}
// CHECK: kernel bytes {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter p : const unsigned int * 8 pointer read{{$}}
// CHECK-NEXT:   parameter q : unsigned int * 8 pointer write{{( anywhere)?$}}
__global__ void bytes(const unsigned *p, unsigned *q) {
  const unsigned x = __vabsdiffu4(p[0], p[1]) + __vcmpgts2(p[0], p[1]) + __vnegss4(p[2]);
  q[0] = __viaddmax_s16x2_relu(x, p[3], __vimin3_u32(p[4], x, 3));
}
// CHECK: kernel tells {{.*}}stub={{[^ ]*}}
// CHECK-NEXT:   parameter p : const int * 8 pointer read{{$}}
// CHECK-NEXT:   parameter q : bool * 8 pointer {{.*}}unknown{{$}}
__global__ void tells(const int *p, bool *q) { __vibmax_s32(p[0], p[1], q); }
// CHECK: kernel polls {{.*}}stub={{[^ ]*}} keeps-globals{{$}}
// CHECK-NEXT:   parameter p : const volatile int * 8 pointer read{{$}}
__global__ void polls(const volatile int *p) {
  while (!*p)
    ;
}
// CHECK: kernel arch_body {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer unknown{{$}}
__global__ void arch_body(float *p) {
#ifdef __CUDA_ARCH__
  p[0] = 1;
#endif
}
// CHECK: kernel arch_header_macro {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer unknown{{$}}
__global__ void arch_header_macro(float *p) { HEADER_STORE(p); }
// CHECK: kernel plain_header_macro {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter p : float * 8 pointer write{{( anywhere)?$}}
__global__ void plain_header_macro(float *p) { HEADER_PLAIN(p); }
// CHECK: kernel arch_target {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer unknown{{$}}
__global__ void arch_target(float *p) { NV_IF_TARGET(NV_IS_DEVICE, (p[0] = 1;)) }
constexpr int ArchSize = HEADER_SIZE;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 600
using ArchReal = float;
#else
using ArchReal = double;
#endif
// CHECK: kernel arch_constant {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer unknown{{$}}
__global__ void arch_constant(float *p) {
  if (ArchSize == 4)
    p[0] = 1;
}
// CHECK: kernel arch_type {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer unknown{{$}}
__global__ void arch_type(float *p) {
  if (sizeof(ArchReal) == 4)
    p[0] = 1;
}
__device__ void arch_callee(float *p) {
#if __CUDA_ARCH__ >= 700
  p[0] = 1;
#endif
}
// CHECK: kernel arch_call {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer {{(escape )?}}unknown{{$}}
__global__ void arch_call(float *p) { arch_callee(p); }
template <int N> __device__ void chosen(float *p) { p[0] = 1; }
template <> __device__ void chosen<2>(float *) {}
// CHECK: kernel arch_choice {{.*}}stub={{[^ ]*}}{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer unknown{{$}}
__global__ void arch_choice(float *p) { chosen<ArchSize>(p); }
// CHECK: kernel groups {{.*}}stub={{[^ ]*}} ends keeps-globals{{$}}
// CHECK-NEXT:   parameter p : float * 8 pointer write{{$}}
__global__ void groups(float *p) {
  cooperative_groups::this_thread_block().sync();
  p[0] = 1;
}
// CHECK: kernel halves {{.*}}
// CHECK-NEXT:   parameter p : {{.*}}__half * 8 pointer
__global__ void halves(__half *p) { p[0] = __float2half(1.f); }
// CHECK: kernel lambda_inside {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter p : float * 8 pointer write{{( anywhere)?$}}
__global__ void lambda_inside(float *p) {
  auto write = [=](int i) { p[i] = 1; };
  write(2);
}
// The kernels of unnamed namespaces come last.
// CHECK: kernel outer::{{.*}}::hidden {{.*}} ends keeps-globals
// CHECK-NEXT:   parameter p : const float * 8 pointer read{{$}}
// CHECK-NEXT:   parameter q : float * 8 pointer write{{( anywhere)?$}}
template <class F> __global__ void each(F f) { f(threadIdx.x); }
template <class T> void run(T *p) {
  each<<<1, 1>>>([=] __device__(int i) { p[i] = T(i); });
}

int main() {
  float *f = nullptr, *g = nullptr;
  double *d = nullptr;
  outer::hidden<<<1, 1>>>(f, f);
  transform<<<1, 1>>>(f, f, 1, Twice<float>());
  transform<<<1, 1>>>(d, d, 1, Twice<double>());
  each<<<1, 1>>>([=] __device__(int i) { f[i] = 1; });
  auto copies = [=] __device__(int i) { f[i] = g[i]; };
  each<<<1, 1>>>(copies);
  each<<<1, 1>>>([=] __device__(int i) -> float { return f[i]; });
  each<<<1, 1>>>([=] __device__(int i) { HEADER_STORE(f); });
  each<<<1, 1>>>([=] __host__ __device__(int i) { f[i] = 1; });
  run(d);
  return 0;
}
