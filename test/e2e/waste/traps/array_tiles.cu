// Trap: the same bytes into several places of one array, each of which is as far to the right as
// another is down.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

constexpr int Size = 64, Tile = 16, Places = 8;

int main() {
  std::vector<float> tile = noise(Tile * Tile), all(Size * Size);
  cudaArray_t image;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&image, &format, Size, Size));
  for (int i = 0; i < Places; ++i)
    CHECK(cudaMemcpy2DToArray(image, 4 * i, 4 * (Places - i), tile.data(), 4 * Tile, 4 * Tile, Tile,
                              cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DFromArray(all.data(), 4 * Size, image, 0, 0, 4 * Size, Size,
                              cudaMemcpyDeviceToHost));
  CHECK(cudaFreeArray(image));
  printf("%08x\n", checksum(tile));
}
