// A library with tables of its own in device memory.
// SPDX-License-Identifier: Apache-2.0
#include "../../../Inputs/check.h"
#include "../../../Inputs/data.h"
#include "../../../Inputs/kernel.h"

#include <cuda_runtime.h>

__device__ float g_table[4096];
__constant__ float c_table[4096];

inline void sumOnHost(unsigned, float *) {}
__global__ void sum(float *result) {
  for (int i = 0; i < 4096; ++i)
    result[globalThread()] += g_table[i] * c_table[i];
}
SIMULATED(sum, sumOnHost)

extern "C" void sumOnce(float *d_result) {
  const std::vector<float> table = noise(4096);
  CHECK(cudaMemcpyToSymbol(g_table, table.data(), sizeof(g_table)));
  CHECK(cudaMemcpyToSymbol(c_table, table.data(), sizeof(c_table)));
  sum<<<1, 32>>>(d_result);
  CHECK(cudaGetLastError());
}

extern "C" void sumOften(float *d_result) {
  const std::vector<float> table = noise(4096, 2);
  for (int round = 0; round < 12; ++round) {
    CHECK(cudaMemcpyToSymbol(g_table, table.data(), sizeof(g_table))); // @same
    sum<<<1, 32>>>(d_result);
    CHECK(cudaGetLastError());
  }
}
