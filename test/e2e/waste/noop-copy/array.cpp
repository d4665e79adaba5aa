// Copies to arrays are judged by what the host sends, never proven; copies from them to the host
// are counted. The linear side of a copy out of one is judged: it is a write.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT: noop-copy likely line=@picture variable=array count=5
// EXPECT-NO: roundtrip
// EXPECT-NO: * proven
// EXPECT-NOTE: audit: copies that were not judged: 6 of arrays
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr auto Up = cudaMemcpyHostToDevice;

int main() {
  constexpr size_t width = 256, height = 64; // floats, rows
  std::vector<float> picture = noise(width * height), zeroes(width * height), back(width * height);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  float *d_picture;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMalloc(&d_picture, width * height * 4));
  uint32_t sum = 0;
  for (int i = 0; i < 6; ++i) {
    size_t row = width * 4;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, picture.data(), row, row, height, Up)); // @picture
    CHECK(cudaMemcpy(d_picture, zeroes.data(), width * height * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(d_picture, width * 4, array, 0, 0, width * 4, height,
                                cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(back.data(), width * 4, array, 0, 0, width * 4, height,
                                cudaMemcpyDeviceToHost));
    sum += checksum(back);
  }
  printf("%08x\n", sum);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d_picture));
}
