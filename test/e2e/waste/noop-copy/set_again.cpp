// A histogram is cleared before each pass, and a part of it is read after; nothing ever fills it.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@clear variable=d_histogram count=5 bytes=20MiB
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t bytes = 4 << 20, part = bytes / 8;
  std::vector<float> back(bytes / 4);
  char *d_histogram;
  CHECK(cudaMalloc(&d_histogram, bytes));
#ifdef FIXED
  CHECK(cudaMemset(d_histogram, 0, bytes));
#endif
  for (size_t pass = 0; pass < 6; ++pass) {
#ifndef FIXED
    CHECK(cudaMemset(d_histogram, 0, bytes)); // @clear
#endif
    CHECK(cudaMemcpy(&back[pass * part / 4], d_histogram + pass * part, part, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(back));
  CHECK(cudaFree(d_histogram));
}
