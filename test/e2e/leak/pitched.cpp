// Pitched allocations: an image and a volume.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=pitched variable=d_image type=float function=main line=@image count=1 bytes>=262144
// EXPECT: leak proven memory=pitched variable=volume line=@volume count=1 bytes>=48000
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  float *d_image;
  size_t pitch;
  CHECK(cudaMallocPitch(&d_image, &pitch, 1000 * sizeof(float), 64)); // @image
  CHECK(cudaMemset2D(d_image, pitch, 0, 1000 * sizeof(float), 64));

  cudaPitchedPtr volume;
  cudaExtent extent = make_cudaExtent(100 * sizeof(float), 12, 10);
  CHECK(cudaMalloc3D(&volume, extent)); // @volume
  CHECK(cudaMemset3D(volume, 0, extent));
#ifdef FIXED
  CHECK(cudaFree(d_image));
  CHECK(cudaFree(volume.ptr));
#endif
  puts("done");
}
