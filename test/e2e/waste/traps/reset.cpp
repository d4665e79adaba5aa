// Every test case resets the device: what it then fills is new memory, at the same address.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1 << 12;
  std::vector<float> table = noise(n), out(8);
  for (int test = 0; test < 8; ++test) {
    float *d_table, *d_zeroes;
    CHECK(cudaMalloc(&d_table, 4 * n));
    CHECK(cudaMalloc(&d_zeroes, 4 * n));
    CHECK(cudaMemcpy(d_table, table.data(), 4 * n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_zeroes, 0, 4 * n));
    CHECK(cudaMemcpy(&out[test], d_table + test, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&out[7 - test], d_zeroes + test, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_zeroes));
    CHECK(cudaDeviceReset());
  }
  printf("%08x\n", checksum(out));
}
