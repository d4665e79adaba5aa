// Each case resets the device: the driver may give the next one a context at the same address. What
// is wasted within a case is found in every one of them.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=runCase line=@table variable=d_table count=12 bytes=12MiB
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

static uint32_t runCase(const std::vector<float> &table) {
  size_t bytes = table.size() * 4;
  char *d_table;
  uint32_t sum = 0, value;
  CHECK(cudaMalloc(&d_table, bytes));
  for (int i = 0; i < 5; ++i) {
#ifdef FIXED
    if (i == 0)
#endif
      CHECK(cudaMemcpy(d_table, table.data(), bytes, cudaMemcpyHostToDevice)); // @table
    CHECK(cudaMemcpy(&value, d_table + 4 * i, 4, cudaMemcpyDeviceToHost));
    sum += value;
  }
  CHECK(cudaFree(d_table));
  CHECK(cudaDeviceReset());
  return sum;
}

int main() {
  for (uint32_t seed = 1; seed <= 3; ++seed)
    printf("%08x\n", runCase(noise(1 << 18, seed)));
}
