// The same tile goes to another part of a large buffer each time; and a part of what is there is
// overwritten by the bytes of another part.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: dead-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t tile = 1 << 18, tiles = 8;
  std::vector<float> data = noise(tile), all(tile * tiles);
  char *d_all;
  CHECK(cudaMalloc(&d_all, tile * 4 * tiles));
  for (size_t i = 0; i < tiles; ++i)
    CHECK(cudaMemcpy(d_all + i * tile * 4, data.data(), tile * 4, cudaMemcpyHostToDevice));
  for (size_t i = 1; i < tiles; ++i) // moved by a few bytes: no range is what it was
    CHECK(cudaMemcpy(d_all + i * tile * 4 + i, data.data(), tile * 4 - i, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(all.data(), d_all, all.size() * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(all));
  CHECK(cudaFree(d_all));
}
