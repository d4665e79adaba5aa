// SPDX-License-Identifier: Apache-2.0
#include "layers.h"
#include "../../../Inputs/check.h"
#include "../../../Inputs/kernel.h"

#include <chrono>

constexpr int N = 1 << 12;

__host__ __device__ inline void scaleAt(unsigned i, float *to, const float *from, float by) {
  to[i] = by * from[i];
}
__global__ void scale(float *to, const float *from, float by) {
  scaleAt(globalThread(), to, from, by);
}
SIMULATED(scale, scaleAt)
__host__ __device__ inline void shiftAt(unsigned i, float *to, const float *from, float by) {
  to[i] = from[i] + by;
}
__global__ void shift(float *to, const float *from, float by) {
  shiftAt(globalThread(), to, from, by);
}
SIMULATED(shift, shiftAt)

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

void Scale::forward(float *to, const float *from) {
  const int blocks = N / 256;
  scale<<<blocks, 256>>>(to, from, 0.5f);
  CHECK(cudaGetLastError());
  WAIT(); // @scale
}
void Shift::forward(float *to, const float *from) {
  shift<<<N / 256, 256>>>(to, from, 0.25f);
  shift<<<N / 256, 256>>>(to, to, 0.25f);
  CHECK(cudaGetLastError());
  WAIT(); // @shift
}
// Between two of these the caller looks at a clock.
void Scale::tune(float *weights) {
  scale<<<N / 256, 256>>>(weights, weights, 0.5f);
  CHECK(cudaDeviceSynchronize()); // @tune
}
void Shift::tune(float *weights) {
  shift<<<N / 256, 256>>>(weights, weights, 0.5f);
  CHECK(cudaDeviceSynchronize()); // @tune2
}

void blur(float *to, const float *from) {
  scale<<<N / 256, 256>>>(to, from, 0.75f);
  WAIT(); // @blur
}
void sharpen(float *to, const float *from) {
  scale<<<N / 256, 256>>>(to, from, 1.25f);
  WAIT(); // @sharpen
}

double timed(float *to, const float *from) {
  auto start = std::chrono::steady_clock::now();
  scale<<<N / 256, 256>>>(to, from, 1.5f);
  CHECK(cudaDeviceSynchronize()); // @timed
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double stamped(float *to, double before) {
  double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  scale<<<N / 256, 256>>>(to, to, 0.5f);
  WAIT();
  return now - before;
}
void settled(float *to) {
  scale<<<N / 256, 256>>>(to, to, 0.5f);
  CHECK(cudaDeviceSynchronize()); // @settled
}

void waited(float *to) {
  scale<<<N / 256, 256>>>(to, to, 0.5f);
  CHECK(cudaDeviceSynchronize()); // @waited
}
