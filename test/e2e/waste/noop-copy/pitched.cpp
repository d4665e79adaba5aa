// An image and a volume in pitched memory are uploaded again for each row that is read.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@image variable=d_image count=4 bytes=8000000
// EXPECT: noop-copy proven function=main line=@volume count=4 bytes=4800000
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t width = 2000, height = 1000, depth = 15; // bytes, rows, slices
  std::vector<float> image = noise(width * height / 4), volume = noise(1200000 / 4, 9);
  std::vector<char> rows(5 * width), lines(5 * 800);
  char *d_image;
  size_t pitch;
  CHECK(cudaMallocPitch(&d_image, &pitch, width, height));
  cudaPitchedPtr d_volume;
  CHECK(cudaMalloc3D(&d_volume, make_cudaExtent(800, 100, depth)));
  cudaMemcpy3DParms all = {};
  all.srcPtr = make_cudaPitchedPtr(volume.data(), 800, 800, 100);
  all.dstPtr = d_volume;
  all.extent = make_cudaExtent(800, 100, depth);
  all.kind = cudaMemcpyHostToDevice;
  for (size_t row = 0; row < 5; ++row) {
#ifdef FIXED
    if (row == 0)
#endif
    {
      CHECK(cudaMemcpy2D(d_image, pitch, image.data(), width, width, height, cudaMemcpyHostToDevice)); // @image
      CHECK(cudaMemcpy3D(&all)); // @volume
    }
    CHECK(cudaMemcpy(&rows[row * width], d_image + row * pitch, width, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&lines[row * 800], (char *)d_volume.ptr + row * d_volume.pitch, 800,
                     cudaMemcpyDeviceToHost));
  }
  printf("%08x %08x\n", checksum(rows), checksum(lines));
  CHECK(cudaFree(d_image));
  CHECK(cudaFree(d_volume.ptr));
}
