// The device is synchronised between launches into one stream, which run one after the other anyway. There is pinned
// memory, but no kernel gets it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: needless-sync advice function=sortSteps line=@sync count>=8
// EXPECT: needless-sync advice function=sweep line=@sweep count=10
// EXPECT: needless-sync advice function=scaled line=@scaled count=9
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <algorithm>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)
__host__ __device__ inline void scaleAt(unsigned i, float *y, const float *x, float by) {
  y[i] = by * x[i];
}
__global__ void scale(float *y, const float *x, float by) { scaleAt(globalThread(), y, x, by); }
SIMULATED(scale, scaleAt)

static void sortSteps(float *d_x) {
  for (int outer = 0; outer < 3; ++outer)
    for (int inner = 0; inner < 3; ++inner) {
      float by = float(1 + pow(2, -inner - outer));
      step<<<dim3(N / 256), dim3(256)>>>(d_x, by);
#ifndef FIXED
      cudaDeviceSynchronize(); // @sync
#endif
    }
}

static void report(int round) { printf("round %d\n", round); }

static void sweep(float *d_x) {
  for (int round = 0; round < 10; ++round) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
#ifndef FIXED
    CHECK(cudaStreamSynchronize(nullptr)); // @sweep
#endif
    CHECK(cudaGetLastError());
    if (round % 4 == 0)
      report(round);
    step<<<N / 256, 256>>>(d_x, 1.5f);
  }
}

/// Each round makes its memory between the wait and the next launch.
static float *scaled(const float *d_x, float by) {
  float *d_y;
  CHECK(cudaMalloc(&d_y, 4 * N));
  scale<<<N / 256, 256>>>(d_y, d_x, by);
#ifndef FIXED
  cudaDeviceSynchronize(); // @scaled
#endif
  return d_y;
}

static void chain(float *d_x) {
  float *d_made[11] = {d_x};
  for (int i = 0; i < 10; ++i)
    d_made[i + 1] = scaled(d_made[i], 0.5f + float(i) / 8);
  CHECK(cudaMemcpy(d_x, d_made[10], 4 * N, cudaMemcpyDeviceToDevice));
  for (int i = 10; i > 0; --i)
    CHECK(cudaFree(d_made[i]));
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *staging;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMallocHost(&staging, 4 * N));
  std::copy(x.begin(), x.end(), staging);
  CHECK(cudaMemcpy(d_x, staging, 4 * N, cudaMemcpyHostToDevice));
  sortSteps(d_x);
  sweep(d_x);
  chain(d_x);
  CHECK(cudaMemcpy(staging, d_x, 4 * N, cudaMemcpyDeviceToHost));
  x.assign(staging, staging + N);
  printf("%08x\n", checksum(x));
  CHECK(cudaFreeHost(staging));
  CHECK(cudaFree(d_x));
}
