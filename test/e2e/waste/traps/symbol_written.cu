// A counter in a __device__ variable is cleared before each launch; the kernel names it itself, and
// counts only in the last rounds.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// WITH-PLAIN: Inputs/foreign.cpp
// OPTIONS[O0]: audit=full
// OPTIONS[!O0]: audit=sampled budget=100
// EXPECT-NO: * proven
// EXPECT-STDOUT: counted 30
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include "Inputs/foreign.h"

__device__ int g_count;
static int *simulatedCount; // where the simulated device has it

inline void countOnHost(unsigned i, int round) {
  if (i == 0 && round >= 30)
    *simulatedCount += 1;
}
__global__ void count(int round) {
  if (globalThread() == 0 && round >= 30)
    g_count += 1;
}
SIMULATED(count, countOnHost)

int main() {
  simulatedCount = static_cast<int *>(foreignSymbol((const void *)&g_count));
  int counted = 0;
  for (int round = 0; round < 60; ++round) {
    int zero = 0, result = 0;
    CHECK(cudaMemcpyToSymbol(g_count, &zero, sizeof(zero)));
    count<<<1, 32>>>(round);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&result, g_count, sizeof(result)));
    counted += result;
  }
  printf("counted %d\n", counted);
}
