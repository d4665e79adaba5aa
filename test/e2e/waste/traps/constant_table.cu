// A table in constant memory is filled anew before each launch; the kernel names it itself. Another
// one is filled twice before anybody reads it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS[O0]: audit=full
// OPTIONS[!O0]: audit=sampled budget=100
// EXPECT: dead-copy likely line=@twice count=5
// EXPECT-ALL
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <cuda_runtime.h>

__constant__ float c_table[4096], c_other[4096];

inline void sumOnHost(unsigned, int, float *) {}
__global__ void sum(int n, float *result) {
  float all = 0;
  for (int i = 0; i < n; ++i)
    all += c_table[i] * c_other[i];
  result[globalThread()] += all;
}
SIMULATED(sum, sumOnHost)

int main() {
  float *d_result;
  std::vector<float> result(32);
  CHECK(cudaMalloc(&d_result, 32 * 4));
  CHECK(cudaMemset(d_result, 0, 32 * 4));
  for (int round = 0; round < 6; ++round) {
    std::vector<float> table = noise(4096, unsigned(round));
    CHECK(cudaMemcpyToSymbol(c_table, table.data(), 4096 * 4));
    for (int i = 0; i < 2; ++i) {
      std::vector<float> other = noise(4096, unsigned(7 * round + i));
      CHECK(cudaMemcpyToSymbol(c_other, other.data(), 4096 * 4)); // @twice
    }
    sum<<<1, 32>>>(4096, d_result);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(result.data(), d_result, 32 * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_result));
}
