// A mesh is uploaded in every frame and changes in every third one: worth a hint, no more.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy advice function=main line=@mesh variable=d_mesh count=6 message="*6 of 9*"
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Frames = 10;

__host__ __device__ inline void drawAt(unsigned i, const float *mesh, float *image) {
  image[i] = 0.5f * image[i] + mesh[i];
}
__global__ void draw(const float *mesh, float *image) { drawAt(globalThread(), mesh, image); }
SIMULATED(draw, drawAt)

int main() {
  std::vector<float> mesh = noise(N), image(N);
  float *d_mesh, *d_image;
  CHECK(cudaMalloc(&d_mesh, N * 4));
  CHECK(cudaMalloc(&d_image, N * 4));
  CHECK(cudaMemset(d_image, 0, N * 4));
  for (int frame = 0; frame < Frames; ++frame) {
    bool changed = frame % 3 == 0;
    if (changed)
      mesh[frame * 1000] += 1;
#ifdef FIXED
    if (changed)
#endif
      CHECK(cudaMemcpy(d_mesh, mesh.data(), N * 4, cudaMemcpyHostToDevice)); // @mesh
    draw<<<N / 256, 256>>>(d_mesh, d_image);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(image.data(), d_image, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(image));
  CHECK(cudaFree(d_mesh));
  CHECK(cudaFree(d_image));
}
