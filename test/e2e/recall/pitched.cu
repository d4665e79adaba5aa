// The obstacle mask, in pitched memory, goes up again behind each step's kernel.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@mask variable=d_mask count>=10
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

#include <string.h>

constexpr auto Up = cudaMemcpyHostToDevice;
constexpr int Width = 500, Height = 300, Steps = 12, Row = Width * 4;

__host__ __device__ inline void flowAt(unsigned i, const float *mask, size_t pitch, float *x) {
  x[i] += mask[i / Width * (pitch / 4) + i % Width];
}
__global__ void flow(const float *mask, size_t pitch, float *x) {
  flowAt(globalThread(), mask, pitch, x);
}
SIMULATED(flow, flowAt)

int main() {
  float *mask, *d_mask, *d_x;
  size_t pitch;
  cudaStream_t stream;
  std::vector<float> x = noise(Width * Height, 2);
  CHECK(cudaMallocHost(&mask, Width * Height * 4));
  memcpy(mask, noise(Width * Height).data(), Width * Height * 4);
  CHECK(cudaMallocPitch(&d_mask, &pitch, Width * 4, Height));
  CHECK(cudaMalloc(&d_x, Width * Height * 4));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpy(d_x, x.data(), Width * Height * 4, cudaMemcpyHostToDevice));
  for (int step = 0; step < Steps; ++step) {
#ifdef FIXED
    if (step == 0)
#endif
      CHECK(cudaMemcpy2DAsync(d_mask, pitch, mask, Row, Row, Height, Up, stream)); // @mask
    flow<<<Width * Height / 100, 100, 0, stream>>>(d_mask, pitch, d_x);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(x.data(), d_x, Width * Height * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_mask));
  CHECK(cudaFree(d_x));
  CHECK(cudaFreeHost(mask));
}
