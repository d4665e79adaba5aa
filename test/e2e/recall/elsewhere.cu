// Passes allocate their work space in turns: the same weights land elsewhere each time.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: reupload function=pass line=@weights variable=d_weights count>=8
// EXPECT-NO[twin]: reupload
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *x) {
  x[i] = x[i] * table[i] + 0.25f;
}
__global__ void scale(const float *table, float *x) { scaleAt(globalThread(), table, x); }
SIMULATED(scale, scaleAt)

static void pass(const std::vector<float> &weights, float *d_x, int number) {
  float *d_before = nullptr;
#ifdef FIXED
  static float *d_weights = nullptr;
#else
  float *d_weights = nullptr;
#endif
  if (number % 2)
    CHECK(cudaMalloc(&d_before, (number + 1) * N * 4));
  if (!d_weights) {
    CHECK(cudaMalloc(&d_weights, N * 4));
    CHECK(cudaMemcpy(d_weights, weights.data(), N * 4, cudaMemcpyHostToDevice)); // @weights
  }
  if (d_before)
    CHECK(cudaMemset(d_before, number, N * 4));
  scale<<<N / 256, 256>>>(d_weights, d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_before));
#ifndef FIXED
  CHECK(cudaFree(d_weights));
#endif
}

int main() {
  std::vector<float> weights = noise(N), x = noise(N, 2);
  float *d_x;
  CHECK(cudaMalloc(&d_x, N * 4));
  CHECK(cudaMemcpy(d_x, x.data(), N * 4, cudaMemcpyHostToDevice));
  for (int number = 0; number < 12; ++number)
    pass(weights, d_x, number);
  CHECK(cudaMemcpy(x.data(), d_x, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
