// An image is uploaded line by line, once, more lines than the auditor keeps apart: what is not judged has
// its reason.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT: small-copies advice function=main line=@row variable=d_image
// EXPECT-NOTE: audit: copies that were not judged: 136 to or from more places of one allocation than are followed
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include <cuda_runtime.h>

int main() {
  constexpr int Rows = 200, Width = 4096;
  std::vector<char> image(Rows * Width);
  for (int i = 0; i < Rows * Width; ++i)
    image[i] = char(i * 7 + i / Width);
  char *d_image = nullptr;
  CHECK(cudaMalloc(&d_image, Rows * Width));
  for (int row = 0; row < Rows; ++row)
    CHECK(cudaMemcpy(d_image + row * Width, &image[row * Width], Width, cudaMemcpyHostToDevice)); // @row
  CHECK(cudaFree(d_image));
}
