// A lookup texture's array is filled with the same picture in every frame.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: noop-copy likely function=main line=@up variable=array count>=8
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>

constexpr auto Up = cudaMemcpyHostToDevice;

int main() {
  constexpr size_t Width = 512, Height = 256, Frames = 12, Row = Width * 4;
  std::vector<float> picture = noise(Width * Height), row(Width);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  uint32_t sum = 0;
  CHECK(cudaMallocArray(&array, &format, Width, Height));
  for (size_t frame = 0; frame < Frames; ++frame) {
#ifdef FIXED
    if (frame == 0)
#endif
      CHECK(cudaMemcpy2DToArray(array, 0, 0, picture.data(), Row, Row, Height, Up)); // @up
    CHECK(cudaMemcpy2DFromArray(row.data(), Width * 4, array, 0, frame, Width * 4, 1,
                                cudaMemcpyDeviceToHost));
    sum += checksum(row);
  }
  printf("%08x\n", sum);
  CHECK(cudaFreeArray(array));
}
