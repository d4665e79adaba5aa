// A kernel that launches another one: CUDA's device runtime, which is linked in for it, has host
// stubs of its own kernels. They are no code of the program's that was left out.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc-rdc
// FLAGS: -lcudadevrt
// ONLY: simulator
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@table count>=5
// EXPECT-NO[twin]: noop-copy
// EXPECT-NO-REPORT: *NOT instrumented*
#include "../Inputs/check.h"
#include "../Inputs/data.h"

__global__ void halve(float *values, int rest) {
  values[threadIdx.x] *= 0.5f;
  if (rest > 0 && threadIdx.x == 0)
    halve<<<1, 32>>>(values, rest - 1);
}

int main() {
  std::vector<float> values = noise(1 << 14);
  const size_t bytes = values.size() * sizeof(float);
  float *d_table, *d_values;
  CHECK(cudaMalloc(&d_table, bytes));
  CHECK(cudaMalloc(&d_values, 32 * sizeof(float)));
  CHECK(cudaMemset(d_values, 0, 32 * sizeof(float)));
  halve<<<1, 32>>>(d_values, 2);
  CHECK(cudaGetLastError());
  for (int round = 0; round < 6; ++round) {
#ifdef FIXED
    values[round] = float(round + 1);
#endif
    CHECK(cudaMemcpy(d_table, values.data(), bytes, cudaMemcpyHostToDevice)); // @table
  }
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_values));
}
