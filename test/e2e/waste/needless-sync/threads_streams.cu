// A thread puts an upload and a kernel into its own default stream and ends. The next one, maybe at its place, waits for
// its own stream, which is empty; main for the device. In the buggy program it waits once more.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// TWIN: FIXED
// EXPECT: needless-sync advice line=@again count>=8
// EXPECT-NO: needless-sync line=@needed
// EXPECT-NO[twin]: needless-sync line=@needed
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include <thread>

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
    std::thread([=] {
      CHECK(cudaMemcpyAsync(d_x, x, 4 * N, cudaMemcpyHostToDevice, cudaStreamPerThread));
      step<<<N / 256, 256, 0, cudaStreamPerThread>>>(d_y, d_x);
      CHECK(cudaGetLastError());
    }).join();
    std::thread([] { CHECK(cudaStreamSynchronize(cudaStreamPerThread)); }).join();
    CHECK(cudaDeviceSynchronize()); // @needed
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @again
#endif
  }
  CHECK(cudaMemcpy(y.data(), d_y, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(y));
  CHECK(cudaFreeHost(x));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}
