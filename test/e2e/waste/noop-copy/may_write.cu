// A kernel that repairs bad values runs on each upload; here there are none, so it writes nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@values variable=d_values count=5 bytes=5MiB
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void repairAt(unsigned i, float *values) {
  if (values[i] < 0)
    values[i] = 0;
}
__global__ void repair(float *values) { repairAt(globalThread(), values); }
SIMULATED(repair, repairAt)

int main() {
  std::vector<float> values = noise(N);
  float *d_values;
  CHECK(cudaMalloc(&d_values, N * 4));
  for (int round = 0; round < 6; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemcpy(d_values, values.data(), N * 4, cudaMemcpyHostToDevice)); // @values
    repair<<<N / 256, 256>>>(d_values);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(values.data(), d_values, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(values));
  CHECK(cudaFree(d_values));
}
