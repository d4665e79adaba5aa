// A variable holds the address of a table, which holds that of a flag, and kernels find it there.
// What no table names they do not: another flag is cleared in each round for nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@clear variable=d_flag count=7
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__device__ int **g_table;

__global__ void setInTable(int on) {
  if (on)
    **g_table = on;
}
inline void nothing(unsigned, int) {}
SIMULATED(setInTable, nothing)

int main() {
  int *d_flag, *d_listed, **d_table, result = 0;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  CHECK(cudaMalloc(&d_listed, sizeof(int)));
  CHECK(cudaMalloc(&d_table, sizeof(int *)));
  CHECK(cudaMemcpy(d_table, &d_listed, sizeof(int *), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(g_table, &d_table, sizeof(d_table)));
  for (int round = 0; round < 8; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemset(d_flag, 0, sizeof(int))); // @clear
    setInTable<<<1, 1>>>(round);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(&result, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
  printf("%d\n", result);
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_listed));
  CHECK(cudaFree(d_table));
}
