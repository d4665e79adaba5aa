// A managed table is filled from the same constants before each step. The host could have written it
// without any call in between: likely at most.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@table variable=table count=5 bytes=5MiB
// EXPECT-NO: * proven
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void stepAt(unsigned i, const float *table, float *state) {
  state[i] = state[i] * 0.5f + table[i];
}
__global__ void step(const float *table, float *state) { stepAt(globalThread(), table, state); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> constants = noise(N), result(N);
  float *table, *d_state;
  CHECK(cudaMallocManaged(&table, 4 * N));
  CHECK(cudaMalloc(&d_state, 4 * N));
  CHECK(cudaMemset(d_state, 0, 4 * N));
  for (int i = 0; i < 6; ++i) {
#ifdef FIXED
    if (i == 0)
#endif
      CHECK(cudaMemcpy(table, constants.data(), 4 * N, cudaMemcpyHostToDevice)); // @table
    step<<<N / 256, 256>>>(table, d_state);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(result.data(), d_state, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(result));
  CHECK(cudaFree(table));
  CHECK(cudaFree(d_state));
}
