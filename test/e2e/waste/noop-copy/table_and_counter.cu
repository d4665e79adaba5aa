// A flag that nobody sets is cleared in each round. Its address lies in a table in memory, and a
// kernel that gets no address counts its threads in a variable: neither leads from there to the flag.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@clear variable=d_flag count=7
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__device__ int g_count;

__global__ void count(int weight) { atomicAdd(&g_count, weight); }
inline void nothing(unsigned, int) {}
SIMULATED(count, nothing)

int main() {
  int *d_flag, *listed, **d_table, zero = 0, result = 0;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  CHECK(cudaMalloc(&d_table, sizeof(int *)));
  CHECK(cudaMemcpy(d_table, &d_flag, sizeof(int *), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(g_count, &zero, sizeof(int)));
  for (int round = 0; round < 8; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemset(d_flag, 0, sizeof(int))); // @clear
    count<<<1, 32>>>(round);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(&result, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&listed, d_table, sizeof(int *), cudaMemcpyDeviceToHost));
  printf("%d %d\n", result, listed == d_flag);
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_table));
}
