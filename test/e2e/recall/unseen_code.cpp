// A library without instrumentation works on the device as well: likely, not proven.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// SHARED-PLAIN: libforeign.so ../waste/traps/Inputs/foreign.cpp
// TWIN: FIXED
// EXPECT: noop-copy likely function=main line=@table variable=d_table count>=8
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"
#include "../waste/traps/Inputs/foreign.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t N = 1 << 18;
  std::vector<float> table = noise(N), out(N);
  float *d_table, *d_other;
  uint32_t sum = 0;
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMalloc(&d_other, 4 * N));
  for (int round = 0; round < 12; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemcpy(d_table, table.data(), 4 * N, cudaMemcpyHostToDevice)); // @table
    foreignSet(d_other, round + 1, 4 * N);
    CHECK(cudaMemcpy(out.data(), round % 2 ? d_table : d_other, 4 * N, cudaMemcpyDeviceToHost));
    sum += checksum(out);
  }
  printf("%08x\n", sum);
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_other));
}
