// audit=off: nothing is judged, however plain the waste.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=off
// EXPECT-CLEAN
// EXPECT-NO: * advice
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1 << 18;
  std::vector<float> zeroes(n), back(6);
  float *d_zeroes;
  CHECK(cudaMalloc(&d_zeroes, 4 * n));
  for (size_t i = 0; i < 6; ++i) {
    CHECK(cudaMemcpy(d_zeroes, zeroes.data(), 4 * n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&back[i], d_zeroes + i, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
  }
  printf("%08x\n", checksum(back));
  CHECK(cudaFree(d_zeroes));
}
