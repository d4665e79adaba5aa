// Launches of every shape of the runtime API; each is one launch at its line.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// EXPECT-CLEAN
// EXPECT-REPORT[simulator,!carried]: simulated device, kernels not run
// EXPECT-REPORT[carried]: *simulated device  *
// EXPECT-NO-REPORT[carried]: kernels not run
// EXPECT-SITE: kind=launch callee=add line=@chevron calls=3 failed=0
// EXPECT-SITE: kind=launch line=@add via=@pointer calls=1 failed=0 kernels=*add*
// EXPECT-SITE: kind=launch line=@sub via=@pointer calls=1 failed=0 kernels=*sub*
// EXPECT-SITE: kind=launch line=@array calls=2 failed=0
// EXPECT-SITE: kind=launch callee=cudaLaunchKernel line=@api calls=1 failed=0
// EXPECT-SITE: kind=launch callee=cudaLaunchKernelExC line=@exc calls=1 failed=0
// EXPECT-SITE: kind=launch callee=cudaLaunchKernelEx* line=@ex calls=1 failed=0
// EXPECT-SITE: kind=launch callee=cudaLaunchCooperativeKernel line=@cooperative calls=1 failed=0
// EXPECT-SITE: kind=launch callee="scaled<float, 4>" line=@template calls=1 failed=0
// EXPECT-SITE: kind=launch line=@array kernels=*add*
// EXPECT-SITE: kind=launch line=@array kernels=*sub*
// EXPECT-SITE: kind=launch line=@api kernels=*add*
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  if (cudaError_t e = (call)) {                                                                    \
    std::printf("%s: %s\n", #call, cudaGetErrorString(e));                                         \
    std::exit(1);                                                                                  \
  }

__global__ void add(float *x, float y) { x[threadIdx.x] += y; }
__global__ void sub(float *x, float y) { x[threadIdx.x] -= y; }
template <typename T, int N> __global__ void scaled(T *x) { x[threadIdx.x] *= N; }

using Kernel = void (*)(float *, float);

static void byPointer(Kernel kernel, float *d_x) {
  kernel<<<1, 32>>>(d_x, 1.0f); // @pointer
}

int main() {
  float *d_x, y = 2;
  CHECK(cudaMalloc(&d_x, 1024));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 3; ++i)
    add<<<dim3(2, 1), dim3(16, 2), 128, stream>>>(d_x, y); // @chevron
  byPointer(add, d_x); // @add
  byPointer(sub, d_x); // @sub
  const Kernel kernels[] = {add, sub};
  for (Kernel k : kernels)
    k<<<1, 32>>>(d_x, y); // @array
  scaled<float, 4><<<1, 32>>>(d_x); // @template
  CHECK(cudaGetLastError());

  void *arguments[] = {&d_x, &y};
  CHECK(cudaLaunchKernel((const void *)add, dim3(1), dim3(32), arguments, 0, stream)); // @api
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  CHECK(cudaLaunchKernelExC(&config, (const void *)add, arguments)); // @exc
  CHECK(cudaLaunchKernelEx(&config, add, d_x, y)); // @ex
  CHECK(cudaLaunchCooperativeKernel((const void *)sub, dim3(1), dim3(32), arguments, 0, stream)); // @cooperative
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  std::puts("launched");
}
