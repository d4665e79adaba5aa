// A table goes to the device in every round, and in few of them a kernel that may write it has come
// in between: the others are proven, one by one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@table variable=d_table count=36 message="all 36 repeats checked, all unchanged; 3 more, likely for nothing, behind something that may write it*"
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Rounds = 40, Often = 10;

__host__ __device__ inline void readAt(unsigned i, const float *table, float *sums) {
  sums[i] += table[i];
}
__global__ void read(const float *table, float *sums) { readAt(globalThread(), table, sums); }
SIMULATED(read, readAt)

// Repairs bad values: here there are none.
__host__ __device__ inline void repairAt(unsigned i, float *table) {
  if (table[i] < 0)
    table[i] = 0;
}
__global__ void repair(float *table) { repairAt(globalThread(), table); }
SIMULATED(repair, repairAt)

int main() {
  std::vector<float> table = noise(N), sums(N);
  float *d_table, *d_sums;
  CHECK(cudaMalloc(&d_table, N * 4));
  CHECK(cudaMalloc(&d_sums, N * 4));
  CHECK(cudaMemset(d_sums, 0, N * 4));
  for (int round = 0; round < Rounds; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice)); // @table
    read<<<N / 256, 256>>>(d_table, d_sums);
    if (round % Often == Often - 1)
      repair<<<N / 256, 256>>>(d_table);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(sums.data(), d_sums, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sums));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_sums));
}
