// Kernels on two streams may run at once: what samples add up to is a bound, and marked as one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: gpu_time=sampled:audit=off:budget=100
// EXPECT-CLEAN
// EXPECT-SITE: line=@launch calls=80 device-method=sampled
// EXPECT-REPORT: GPU 0  *
// EXPECT-NO-REPORT: GPU 0    kernels ~*
// EXPECT-NO-REPORT: *GPU busy ~*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

int main() {
  constexpr int N = 1 << 14;
  int *d_x[2];
  cudaStream_t streams[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMalloc(&d_x[i], N * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
  }
  for (int i = 0; i < 80; ++i)
    add<<<N / 256, 256, 0, streams[i % 2]>>>(d_x[i % 2], i); // @launch
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(d_x[i]));
  }
}
