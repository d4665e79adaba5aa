// A launch that cannot start, whose caller asks and falls back.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// EXPECT-CLEAN
// EXPECT-NO: failed-launch
// EXPECT-SITE: kind=launch line=@launch calls=2 failed=1
// EXPECT-SITE: kind=launch line=@sweep calls=4 failed=4
// EXPECT-STDOUT: 4096 threads: refused
// EXPECT-STDOUT: 256 threads: started
#include <cuda_runtime.h>

#include <cstdio>

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }

static bool run(float *d_x, int threads) {
  twice<<<1, threads>>>(d_x); // @launch
  cudaError_t status = cudaGetLastError();
  std::printf("%d threads: %s\n", threads, status == cudaSuccess ? "started" : "refused");
  return status == cudaSuccess;
}

// CUDA keeps the last error until somebody asks.
static bool sweep(float *d_x) {
  for (int i = 0; i < 4; ++i)
    twice<<<1, 4096>>>(d_x); // @sweep
  return cudaGetLastError() == cudaSuccess;
}

int main() {
  float *d_x;
  if (cudaMalloc(&d_x, 4096 * sizeof(float)) != cudaSuccess)
    return 1;
  if (!run(d_x, 4096) && !run(d_x, 256))
    return 2;
  if (sweep(d_x))
    return 4;
  return cudaFree(d_x) == cudaSuccess ? 0 : 3;
}
