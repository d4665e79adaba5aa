// Memory is allocated here and freed by a library without instrumentation, and the reverse: an
// address that the tool has seen before may be another allocation by now.
// SPDX-License-Identifier: Apache-2.0
// WITH-PLAIN: Inputs/foreign.cpp
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "Inputs/foreign.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1 << 18;
  std::vector<float> back(16);
  for (int round = 0; round < 8; ++round) {
    char *d_ours, *d_theirs;
    CHECK(cudaMalloc(&d_ours, 4 * n));
    CHECK(cudaMemset(d_ours, 0, 4 * n)); // new memory each time
    CHECK(cudaMemcpy(&back[round], d_ours + 4 * round, 4, cudaMemcpyDeviceToHost));
    foreignFree(d_ours);
    d_theirs = static_cast<char *>(foreignAllocate(4 * n));
    CHECK(cudaMemset(d_theirs, 0, 4 * n)); // this, too
    CHECK(cudaMemcpy(&back[8 + round], d_theirs + 4 * round, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_theirs));
  }
  printf("%08x\n", checksum(back));
}
