// An array gets the same bytes in each round, as a kernel writes it through a surface object.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// OPTIONS: audit=full
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Width = 256, Height = 64;

__global__ void brighten(cudaSurfaceObject_t image) {
  const unsigned i = globalThread(), x = i % Width, y = i / Width;
  float value;
  surf2Dread(&value, image, 4 * x, y);
  surf2Dwrite(value + 1, image, 4 * x, y);
}
inline void nothing(unsigned, cudaSurfaceObject_t) {}
SIMULATED(brighten, nothing)

int main() {
  const size_t row = 4 * Width;
  const std::vector<float> image = noise(Width * Height);
  std::vector<float> out(Width * Height);
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, Width, Height, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  for (int round = 0; round < 10; ++round) {
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), row, row, Height, cudaMemcpyHostToDevice));
    brighten<<<Width * Height / 256, 256>>>(surface);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2DFromArray(out.data(), row, array, 0, 0, row, Height, cudaMemcpyDeviceToHost));
  }
  printf("%zu\n", out.size());
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}
