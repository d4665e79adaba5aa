// An image is uploaded line by line, more lines than the auditor keeps apart. From its first line on, each is the
// first at its place, as what was sent has not come so far. In another order nobody knows: that has its reason.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// EXPECT: small-copies advice function=main line=@row variable=d_image
// EXPECT[twin]: small-copies advice function=main line=@row variable=d_image
// EXPECT-NO-REPORT[twin]: *more places of one allocation*
// EXPECT-REPORT[twin]: *judged 100 % of *
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
  for (int i = 0; i < Rows; ++i) {
#ifdef FIXED
    const int row = i;
#else
    const int row = Rows - 1 - i;
#endif
    CHECK(cudaMemcpy(d_image + row * Width, &image[row * Width], Width, cudaMemcpyHostToDevice)); // @row
  }
  CHECK(cudaMemcpy(image.data(), d_image, Rows * Width, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_image));
}
