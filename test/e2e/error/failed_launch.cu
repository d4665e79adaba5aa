// A launch that cannot start, and nobody asks.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: failed-launch proven function=main line=@launch count=2 error=cudaErrorInvalid*
// EXPECT-ALL
// EXPECT-SITE: kind=launch callee=twice line=@launch calls=2 failed=2
// EXPECT-REPORT: failed-launch*twice*failed_launch.cu:{@launch}*main
#include <cuda_runtime.h>

#include <cstdio>

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }

int main() {
  float *d_x;
  if (cudaMalloc(&d_x, 4096 * sizeof(float)) != cudaSuccess)
    return 1;
#ifdef FIXED
  const int threads = 256;
#else
  const int threads = 4096;
#endif
  for (int i = 0; i < 2; ++i)
    twice<<<1, threads>>>(d_x); // @launch
  if (cudaDeviceSynchronize() != cudaSuccess || cudaFree(d_x) != cudaSuccess)
    return 2;
  std::puts("done");
  return 0;
}
