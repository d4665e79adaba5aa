// Every layer keeps its own copy of one table.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: duplicate-buffer advice function=main line=@made via-function=makeTable bytes>=4MiB
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 19;

__host__ __device__ inline void embedAt(unsigned i, const float *table, float *x) {
  x[i] += table[(i * 31) % N];
}
__global__ void embed(const float *table, float *x) { embedAt(globalThread(), table, x); }
SIMULATED(embed, embedAt)

static float *makeTable(const std::vector<float> &table) {
  float *d_table;
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMemcpy(d_table, table.data(), 4 * N, cudaMemcpyHostToDevice));
  return d_table;
}

int main() {
  std::vector<float> table = noise(N), x(N);
  float *d_x, *d_tables[5];
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemset(d_x, 0, 4 * N));
#ifdef FIXED
  d_tables[0] = makeTable(table);
  for (float *&d_table : d_tables)
    d_table = d_tables[0];
#else
  for (float *&d_table : d_tables)
    d_table = makeTable(table); // @made
#endif
  for (float *d_table : d_tables)
    embed<<<N / 256, 256>>>(d_table, d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
  for (float *d_table : d_tables) {
    CHECK(cudaFree(d_table));
#ifdef FIXED
    break;
#endif
  }
}
