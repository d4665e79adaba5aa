// CUDA arrays, a layered one and a mipmapped one.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak memory=array variable=lut line=@array count=1 bytes=65536
// EXPECT: leak memory=array variable=layers line=@array3d count=1 bytes=262144
// EXPECT: leak memory=mipmapped variable=*pyramid line=@mipmapped count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

struct Textures {
  cudaMipmappedArray_t pyramid;
};

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t lut, layers;
  Textures textures;
  CHECK(cudaMallocArray(&lut, &format, 128, 128)); // @array
  CHECK(cudaMalloc3DArray(&layers, &format, make_cudaExtent(128, 128, 4), cudaArrayLayered)); // @array3d
  CHECK(cudaMallocMipmappedArray(&textures.pyramid, &format, make_cudaExtent(64, 64, 0), 4)); // @mipmapped
#ifdef FIXED
  CHECK(cudaFreeArray(lut));
  CHECK(cudaFreeArray(layers));
  CHECK(cudaFreeMipmappedArray(textures.pyramid));
#endif
  puts("done");
}
