// A program has one allocation for all of its tables, more of them than are followed at first, and sends them in every
// round, though they never change. One of them does.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@table variable=d_tables count>=1200
// EXPECT-NO: noop-copy line=@changes
// EXPECT-NO[twin]: noop-copy
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Tables = 300, N = 2048, Rounds = 20;

__host__ __device__ inline void sumAt(unsigned i, const float *tables, float *sums) {
  float sum = 0;
  for (int t = 0; t < Tables; ++t)
    sum += tables[t * N + i % N];
  sums[i % N] = sum;
}
__global__ void sum(const float *tables, float *sums) { sumAt(globalThread(), tables, sums); }
SIMULATED(sum, sumAt)

int main() {
  std::vector<std::vector<float>> tables;
  for (int t = 0; t < Tables; ++t)
    tables.push_back(noise(N, t + 1));
  std::vector<float> sums(N);
  float *d_tables, *d_sums;
  CHECK(cudaMalloc(&d_tables, sizeof(float) * N * Tables));
  CHECK(cudaMalloc(&d_sums, sizeof(float) * N));
#ifdef FIXED
  for (int t = 1; t < Tables; ++t)
    CHECK(cudaMemcpy(d_tables + t * N, tables[t].data(), sizeof(float) * N, cudaMemcpyHostToDevice));
#endif
  for (int round = 0; round < Rounds; ++round) {
    tables[0][round] += 1;
    CHECK(cudaMemcpy(d_tables, tables[0].data(), sizeof(float) * N, cudaMemcpyHostToDevice)); // @changes
#ifndef FIXED
    for (int t = 1; t < Tables; ++t)
      CHECK(cudaMemcpy(d_tables + t * N, tables[t].data(), sizeof(float) * N, cudaMemcpyHostToDevice)); // @table
#endif
    sum<<<N / 256, 256>>>(d_tables, d_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_sums, sizeof(float) * N, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(sums));
  CHECK(cudaFree(d_sums));
  CHECK(cudaFree(d_tables));
}
