// A kernel takes a pointer to const and writes through it all the same, in rare cases.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline float cached(const float *table, unsigned i) {
  if (table[i] < 0) // computed at first need
    const_cast<float *>(table)[i] = float(i) * 0.5f;
  return table[i];
}
__host__ __device__ inline void sumAt(unsigned i, const float *table, float *sum) {
  sum[i] += cached(table, i);
}
__global__ void sums(const float *table, float *sum) { sumAt(globalThread(), table, sum); }
SIMULATED(sums, sumAt)

int main() {
  std::vector<float> table = noise(N), sum(N);
  float *d_table, *d_sum;
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_table, table.data(), 4 * N, cudaMemcpyHostToDevice));
    sums<<<N / 256, 256>>>(d_table, d_sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_sum));
}
