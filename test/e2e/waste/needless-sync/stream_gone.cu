// A stream of its own for each upload, destroyed while the copy is under way, as that ends by itself. The device is
// synchronised when the next stream is there, in the place of the other. A second wait finds nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: needless-sync advice function=main line=@again count>=8
// EXPECT-NO: needless-sync line=@needed
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Rounds = 10;

__host__ __device__ inline void stepAt(unsigned i, float *y, const float *x) { y[i] = 0.5f * y[i] + x[i]; }
__global__ void step(float *y, const float *x) { stepAt(globalThread(), y, x); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> y(N);
  float *x, *d_x, *d_y;
  CHECK(cudaMallocHost(&x, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemset(d_y, 0, 4 * N));
  for (int round = 0; round < Rounds; ++round) {
    for (int i = 0; i < N; ++i)
      x[i] = float(round * i % 1000);
    cudaStream_t upload, stream;
    CHECK(cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(d_x, x, 4 * N, cudaMemcpyHostToDevice, upload));
    CHECK(cudaStreamDestroy(upload));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize()); // @needed
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @again
#endif
    step<<<N / 256, 256, 0, stream>>>(d_y, d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  }
  CHECK(cudaMemcpy(y.data(), d_y, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(y));
  CHECK(cudaFreeHost(x));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}
