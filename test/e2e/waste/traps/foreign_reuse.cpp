// A library without instrumentation frees our buffer and gets the same address for its own data,
// which we then fill; an address is not an allocation.
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
  constexpr size_t n = 1 << 12;
  std::vector<float> table = noise(n), out(20);
  char *d_table;
  CHECK(cudaMalloc(&d_table, 4 * n));
  for (int round = 0; round < 20; ++round) {
    CHECK(cudaMemcpy(d_table, table.data(), 4 * n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&out[round], d_table + 4 * round, 4, cudaMemcpyDeviceToHost));
    foreignFree(d_table);
    d_table = static_cast<char *>(foreignAllocate(4 * n));
    foreignSet(d_table, round, 4 * n);
  }
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_table));
}
