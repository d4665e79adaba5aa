// The head of a buffer is sent alone, then all of it: what one copy left is not what the other
// found, though each of them sends the bytes it always sends.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Head = 64;

__host__ __device__ inline void addAt(unsigned i, const float *x, float *sum) { sum[i] += x[i]; }
__global__ void add(const float *x, float *sum) { addAt(globalThread(), x, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> all = noise(N), head = noise(Head, 9), sum(N);
  float *d_x, *d_sum;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_x, all.data(), 4 * N, cudaMemcpyHostToDevice));
    add<<<N / 256, 256>>>(d_x, d_sum);
    CHECK(cudaMemcpy(d_x, head.data(), 4 * Head, cudaMemcpyHostToDevice));
    add<<<N / 256, 256>>>(d_x, d_sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
}
