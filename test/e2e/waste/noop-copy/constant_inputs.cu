// A gradient descent uploads its samples in every step, though they never change.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=fit line=@samples variable=d_x count=9 bytes=9437184
// EXPECT: noop-copy proven function=fit line=@targets variable=d_y count=9 bytes=9437184
// EXPECT-ALL
// EXPECT-NO-REPORT: kernels not run
// EXPECT-REPORT: noop-copy*d_x*constant_inputs.cu:{@samples}*fit
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Samples = 1 << 18, Steps = 10;

__host__ __device__ inline void slopeAt(unsigned i, const float *x, const float *y, float w,
                                        float *slope, int n) {
  if (i < unsigned(n))
    slope[i] = 2 * x[i] * (w * x[i] - y[i]);
}
__global__ void slopes(const float *x, const float *y, float w, float *slope, int n) {
  slopeAt(globalThread(), x, y, w, slope, n);
}
SIMULATED(slopes, slopeAt)

static float fit(const std::vector<float> &x, const std::vector<float> &y) {
  const size_t bytes = x.size() * sizeof(float);
  float *d_x, *d_y, *d_slope, w = 0;
  std::vector<float> slope(x.size());
  CHECK(cudaMalloc(&d_x, bytes));
  CHECK(cudaMalloc(&d_y, bytes));
  CHECK(cudaMalloc(&d_slope, bytes));
#ifdef FIXED
  CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));
#endif
  for (int step = 0; step < Steps; ++step) {
#ifndef FIXED
    CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice)); // @samples
    CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice)); // @targets
#endif
    slopes<<<Samples / 256, 256>>>(d_x, d_y, w, d_slope, Samples);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(slope.data(), d_slope, bytes, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float s : slope)
      sum += s;
    w -= 0.3f * float(sum / Samples);
  }
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(d_slope));
  return w;
}

int main() {
  std::vector<float> x = noise(Samples, 1), y = x;
  for (float &value : y)
    value = 3 * value + 1;
  printf("w=%.3f\n", fit(x, y));
}
