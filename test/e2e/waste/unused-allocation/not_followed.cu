// Pinned memory may bring addresses when the copy reads it: no reason to think that a kernel uses
// them which finds none in what it reads.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: unused-allocation likely variable=d_scratch line=@scratch count=1
// EXPECT-ALL
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void addAt(unsigned i, float *sum, const float *x) { sum[i] += x[i]; }
__global__ void add(float *sum, const float *x) { addAt(globalThread(), sum, x); }
SIMULATED(add, addAt)

int main() {
  float *h_x, *d_x, *d_sum;
  CHECK(cudaMallocHost(&h_x, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
#ifndef FIXED
  float *d_scratch;
  CHECK(cudaMalloc(&d_scratch, 4 * N)); // @scratch
#endif
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> x = noise(N, round);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i)
      h_x[i] = x[i];
    CHECK(cudaMemcpyAsync(d_x, h_x, 4 * N, cudaMemcpyHostToDevice));
    add<<<N / 256, 256>>>(d_sum, d_x);
    CHECK(cudaGetLastError());
  }
  std::vector<float> sum(N);
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
#ifndef FIXED
  CHECK(cudaFree(d_scratch));
#endif
  for (void *p : {(void *)d_x, (void *)d_sum})
    CHECK(cudaFree(p));
  CHECK(cudaFreeHost(h_x));
}
