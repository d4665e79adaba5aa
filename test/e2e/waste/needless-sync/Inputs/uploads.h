// Pinned numbers that go up in each round, and a kernel that adds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../../Inputs/data.h"
#include "../../../Inputs/kernel.h"

constexpr int N = 1 << 16, Rounds = 10;

__host__ __device__ inline void stepAt(unsigned i, float *y, const float *x) {
  y[i] = 0.5f * y[i] + x[i];
}
__global__ void step(float *y, const float *x) { stepAt(globalThread(), y, x); }
SIMULATED(step, stepAt)

struct Uploads {
  float *x, *d_x, *d_y;

  Uploads() {
    CHECK(cudaMallocHost(&x, 4 * N));
    CHECK(cudaMalloc(&d_x, 4 * N));
    CHECK(cudaMalloc(&d_y, 4 * N));
    CHECK(cudaMemset(d_y, 0, 4 * N));
  }
  void fill(int round) {
    for (int i = 0; i < N; ++i)
      x[i] = float(round * i % 1000);
  }
  void finish() {
    std::vector<float> y(N);
    CHECK(cudaMemcpy(y.data(), d_y, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(y));
    CHECK(cudaFreeHost(x));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
  }
};
