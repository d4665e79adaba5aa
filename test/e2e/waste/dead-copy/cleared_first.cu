// A buffer is cleared and then wholly overwritten by an upload.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: dead-copy likely function=main line=@clear variable=d_image related=@fill count=5 bytes=20MiB
// EXPECT-ALL
// EXPECT-REPORT: dead-copy*d_image*cleared_first.cu:{@clear}*main
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void blurAt(unsigned i, float *image) {
  image[i] = 0.5f * (image[i] + float(i % 2));
}
__global__ void blur(float *image) { blurAt(globalThread(), image); }
SIMULATED(blur, blurAt)

int main() {
  std::vector<float> back(N);
  float *d_image;
  CHECK(cudaMalloc(&d_image, 4 * N));
  for (int frame = 0; frame < 5; ++frame) {
    std::vector<float> image = noise(N, frame + 1);
#ifndef FIXED
    CHECK(cudaMemset(d_image, 0, 4 * N)); // @clear
#endif
    CHECK(cudaMemcpy(d_image, image.data(), 4 * N, cudaMemcpyHostToDevice)); // @fill
    blur<<<N / 256, 256>>>(d_image);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back.data(), d_image, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(back));
  }
  CHECK(cudaFree(d_image));
}
