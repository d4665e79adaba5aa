// For a while the small uploads are no news; then code without instrumentation starts to change the
// table in between, and from then on the program needs them.
// SPDX-License-Identifier: Apache-2.0
// WITH-PLAIN: Inputs/foreign.cpp
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "Inputs/foreign.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1024;
  std::vector<float> table = noise(n), out(60);
  float *d_table;
  CHECK(cudaMalloc(&d_table, 4 * n));
  for (int round = 0; round < 60; ++round) {
    CHECK(cudaMemcpy(d_table, table.data(), 4 * n, cudaMemcpyHostToDevice));
    if (round >= 30)
      foreignSet(d_table + round, 1, 512);
    CHECK(cudaMemcpy(&out[round], d_table + round + 1, 4, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_table));
}
