// Within the default budget: a table of 4 MiB sent 3000 times is found within the budget.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// OPTIONS: audit=sampled
// EXPECT: noop-copy proven function=main line=@table variable=d_table count>=3
// EXPECT-REPORT: * noop-copy * x~* d_table*
// EXPECT-ALL
// EXPECT-REPORT: judged * of * in copies and sets, * of their time (audit=sampled)
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void lookUpAt(unsigned i, const float *table, int round, float *out) {
  out[i] += table[(i * 127u + unsigned(round)) % unsigned(N)];
}
__global__ void lookUp(const float *table, int round, float *out) {
  lookUpAt(globalThread(), table, round, out);
}
SIMULATED(lookUp, lookUpAt)

int main() {
  std::vector<float> table = noise(N), out(1 << 16);
  float *d_table, *d_out;
  CHECK(cudaMalloc(&d_table, table.size() * 4));
  CHECK(cudaMalloc(&d_out, out.size() * 4));
  CHECK(cudaMemset(d_out, 0, out.size() * 4));
  for (int round = 0; round < 3000; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemcpy(d_table, table.data(), table.size() * 4, cudaMemcpyHostToDevice)); // @table
    lookUp<<<256, 256>>>(d_table, round, d_out);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_out));
}
