// Two buffers make way for each other in each round, as the device has no room for both: nothing can be kept. A smaller one
// beside them could be.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// ONLY: simulator
// ENV: GPUINSTR_SIM=memory=64M
// EXPECT: alloc-churn advice function=main line=@small count=6
// EXPECT-NO[both]: alloc-churn line=@first
// EXPECT-NO[both]: alloc-churn line=@second
// EXPECT-NO[twin]: alloc-churn
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

constexpr int Large = 10 << 20, Small = 1 << 20, Rounds = 6;

__global__ void fill(float *to, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = value + i;
}

static float use(float *d, int n, float value) {
  float last;
  fill<<<n / 256, 256>>>(d, value);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&last, d + n - 1, 4, cudaMemcpyDeviceToHost));
  return last;
}

int main() {
  float *d_first, *d_second, *d_small, sum = 0;
#ifdef FIXED
  CHECK(cudaMalloc(&d_small, 4 * Small));
#endif
  for (int round = 0; round < Rounds; ++round) {
#ifndef FIXED
    CHECK(cudaMalloc(&d_small, 4 * Small)); // @small
#endif
    CHECK(cudaMalloc(&d_first, 4 * Large)); // @first
    sum += use(d_small, Small, round) + use(d_first, Large, round);
    CHECK(cudaFree(d_first));
    CHECK(cudaMalloc(&d_second, 4 * Large)); // @second
    sum += use(d_second, Large, round);
    CHECK(cudaFree(d_second));
#ifndef FIXED
    CHECK(cudaFree(d_small));
#endif
  }
#ifdef FIXED
  CHECK(cudaFree(d_small));
#endif
  printf("%g\n", sum);
}
