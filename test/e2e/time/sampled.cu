// Launches, copies and sets whose device time is sampled.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 clang-ptsz nvcc
// OPTIONS: gpu_time=sampled:audit=off:verbose=1
// EXPECT-CLEAN
// EXPECT-SITE: line=@launch calls=40 device-method=sampled device-operations=40 device-samples>=7
// EXPECT-SITE: line=@upload device-method=sampled device-operations=3 device-samples=3
// EXPECT-SITE: line=@download device-method=sampled device-samples=3
// EXPECT-SITE: line=@set device-method=sampled device-samples=3
// EXPECT-SITE: line=@wait device-method= device-samples=0
// EXPECT-REPORT: KERNELS*
// EXPECT-REPORT: *Instances*Name*Where
// EXPECT-REPORT: TRANSFERS*
// EXPECT-REPORT: *pinned*{@upload}
// EXPECT-REPORT: *memset*{@set}
#include "../Inputs/check.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 20;

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

int main() {
  int *h_x, *d_x;
  CHECK(cudaMallocHost(&h_x, N * sizeof(int)));
  CHECK(cudaMalloc(&d_x, N * sizeof(int)));
  for (int i = 0; i < N; ++i)
    h_x[i] = i;
  for (int step = 0; step < 3; ++step) {
    CHECK(cudaMemsetAsync(d_x, 0, N * sizeof(int), 0));                           // @set
    CHECK(cudaMemcpyAsync(d_x, h_x, N * sizeof(int), cudaMemcpyHostToDevice, 0)); // @upload
    CHECK(cudaDeviceSynchronize());                                               // @wait
    CHECK(cudaMemcpy(h_x, d_x, N * sizeof(int), cudaMemcpyDeviceToHost));         // @download
  }
  for (int i = 0; i < 40; ++i) {
    add<<<N / 256, 256>>>(d_x, i); // @launch
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(h_x));
}
