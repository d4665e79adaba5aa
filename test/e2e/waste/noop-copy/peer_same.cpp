// A block goes from one buffer to another by cudaMemcpyPeer, within one device: always the same bytes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@peer variable=d_copy count=5 bytes=10MiB
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1 << 19;
  std::vector<float> model = noise(n), parts(6);
  float *d_model, *d_copy;
  CHECK(cudaMalloc(&d_model, 4 * n));
  CHECK(cudaMalloc(&d_copy, 4 * n));
  CHECK(cudaMemcpy(d_model, model.data(), 4 * n, cudaMemcpyHostToDevice));
  for (size_t round = 0; round < 6; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemcpyPeer(d_copy, 0, d_model, 0, 4 * n)); // @peer
    CHECK(cudaMemcpy(&parts[round], d_copy + 1000 * round, 4, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(parts));
  CHECK(cudaFree(d_copy));
  CHECK(cudaFree(d_model));
}
