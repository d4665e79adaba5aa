// The same volume goes into a three-dimensional array in every frame, by cudaMemcpy3D, which counts
// elements of the array; slices of another array are other ones each time, at each place.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: noop-copy likely function=main line=@volume variable=up count=7 bytes=896KiB
// EXPECT-ALL
// EXPECT-NO[both]: noop-copy line=@slice
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t Width = 64, Height = 32, Depth = 16, Frames = 8, Slice = Width * Height;
  std::vector<float> volume = noise(Slice * Depth), row(Width);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array, slices;
  uint32_t sum = 0;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(Width, Height, Depth)));
  CHECK(cudaMalloc3DArray(&slices, &format, make_cudaExtent(Width, Height, 2)));
  for (size_t frame = 0; frame < Frames; ++frame) {
    cudaMemcpy3DParms up = {};
    up.srcPtr = make_cudaPitchedPtr(volume.data(), Width * 4, Width, Height);
    up.dstArray = array;
    up.extent = make_cudaExtent(Width, Height, Depth);
    up.kind = cudaMemcpyHostToDevice;
#ifdef FIXED
    if (frame == 0)
#endif
      CHECK(cudaMemcpy3D(&up)); // @volume
    for (size_t z = 0; z < 2; ++z) {
      up.srcPtr.ptr = volume.data() + (frame + z) % 2 * Slice;
      up.dstArray = slices;
      up.dstPos.z = z;
      up.extent.depth = 1;
      CHECK(cudaMemcpy3D(&up)); // @slice
    }
    for (cudaArray_t from : {array, slices}) {
      cudaMemcpy3DParms down = {};
      down.srcArray = from;
      down.srcPos = make_cudaPos(0, frame, frame % 2);
      down.dstPtr = make_cudaPitchedPtr(row.data(), Width * 4, Width, 1);
      down.extent = make_cudaExtent(Width, 1, 1);
      down.kind = cudaMemcpyDeviceToHost;
      CHECK(cudaMemcpy3D(&down));
      sum += checksum(row);
    }
  }
  printf("%08x\n", sum);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(slices));
}
