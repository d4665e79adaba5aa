// The border of an image, a layer of a volume and a mask are cleared before each picture, by all kinds
// of cudaMemset; nothing ever fills them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@flat variable=d_mask count=5 bytes=5MiB
// EXPECT: noop-copy proven function=main line=@async count=5 bytes=5MiB
// EXPECT: noop-copy proven function=main line=@rows variable=d_image count=5 bytes=4000000
// EXPECT: noop-copy proven function=main line=@slices count=5 bytes=1200000
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t n = 1 << 20, width = 800, height = 1000;
  std::vector<char> seen(6 * 4);
  char *d_mask, *d_other, *d_image;
  size_t pitch;
  cudaPitchedPtr d_volume;
  cudaStream_t stream;
  CHECK(cudaMalloc(&d_mask, n));
  CHECK(cudaMalloc(&d_other, n));
  CHECK(cudaMallocPitch(&d_image, &pitch, width, height));
  CHECK(cudaMalloc3D(&d_volume, make_cudaExtent(300, 50, 16)));
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 6; ++i) {
#ifdef FIXED
    if (i == 0)
#endif
    {
      CHECK(cudaMemset(d_mask, 0, n)); // @flat
      CHECK(cudaMemsetAsync(d_other, 7, n, stream)); // @async
      CHECK(cudaMemset2D(d_image, pitch, 3, width, height)); // @rows
      CHECK(cudaMemset3D(d_volume, 9, make_cudaExtent(300, 50, 16))); // @slices
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&seen[i * 4], d_mask + i, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&seen[i * 4 + 1], d_other + i, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&seen[i * 4 + 2], d_image + i * pitch, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&seen[i * 4 + 3], (char *)d_volume.ptr + i, 1, cudaMemcpyDeviceToHost));
  }
  printf("%08x\n", checksum(seen));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_mask));
  CHECK(cudaFree(d_other));
  CHECK(cudaFree(d_image));
  CHECK(cudaFree(d_volume.ptr));
}
