// A library without instrumentation changes the buffer between two uploads of the same bytes.
// SPDX-License-Identifier: Apache-2.0
// WITH-PLAIN: Inputs/foreign.cpp
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "Inputs/foreign.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1 << 18;
  std::vector<float> table = noise(n), out(n);
  float *d_table;
  CHECK(cudaMalloc(&d_table, 4 * n));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_table, table.data(), 4 * n, cudaMemcpyHostToDevice));
    foreignSet(d_table + 1000, round + 1, 512);
    CHECK(cudaMemcpy(out.data(), d_table, 4 * n, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
  }
  CHECK(cudaFree(d_table));
}
