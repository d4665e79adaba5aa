// Without any budget nothing is verified, so nothing is proven.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=sampled budget=0
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void addAt(unsigned i, const float *x, float *sum) { sum[i] += x[i]; }
__global__ void add(const float *x, float *sum) { addAt(globalThread(), x, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> x = noise(N), sum(N);
  float *d_x, *d_sum;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  for (int i = 0; i < 8; ++i) {
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
    add<<<N / 256, 256>>>(d_x, d_sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
}
