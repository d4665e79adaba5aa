// Each layer's step ends with a wait, and its caller, in another file, goes on with the next layer's
// in the same stream: by the object's class, or by functions in turn. Silent: where a clock is read
// between, here, there or behind a call that shows nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH: Inputs/layers.cu
// WITH-PLAIN: Inputs/between.cpp
// TWIN: FIXED
// EXPECT: needless-sync advice line=@Inputs/layers.cu:scale function=Scale::forward count>=8
// EXPECT: needless-sync advice line=@Inputs/layers.cu:shift function=Shift::forward count>=8
// EXPECT: needless-sync advice line=@Inputs/layers.cu:blur function=blur count>=8
// EXPECT: needless-sync advice line=@Inputs/layers.cu:sharpen function=sharpen count>=8
// EXPECT-NO: needless-sync line=@Inputs/layers.cu:tune
// EXPECT-NO: needless-sync line=@Inputs/layers.cu:tune2
// EXPECT-NO: needless-sync line=@Inputs/layers.cu:timed
// EXPECT-NO: needless-sync line=@Inputs/layers.cu:waited
// EXPECT-NO: needless-sync line=@Inputs/layers.cu:settled
// EXPECT-NO[twin]: needless-sync line=@Inputs/layers.cu:scale
// EXPECT-NO[twin]: needless-sync line=@Inputs/layers.cu:blur
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "Inputs/layers.h"

#include <chrono>
#include <cuda_runtime.h>
#include <memory>

constexpr int N = 1 << 12;

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void network(const std::vector<std::unique_ptr<Layer>> &layers, float *d_x, float *d_y) {
  for (int round = 0; round < 10; ++round)
    for (const std::unique_ptr<Layer> &layer : layers) {
      layer->forward(d_y, d_x);
      std::swap(d_x, d_y);
    }
}

static void inTurn(float *d_x, float *d_y) {
  for (int round = 0; round < 10; ++round) {
    blur(d_y, d_x);
    sharpen(d_x, d_y);
  }
}

static double tuned(const std::vector<std::unique_ptr<Layer>> &layers, float *d_x) {
  double slowest = 0;
  for (int round = 0; round < 10; ++round)
    for (const std::unique_ptr<Layer> &layer : layers) {
      double start = now();
      layer->tune(d_x);
      slowest = std::max(slowest, now() - start);
    }
  return slowest;
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_y, 0, 4 * N));
  std::vector<std::unique_ptr<Layer>> layers;
  layers.emplace_back(new Scale);
  layers.emplace_back(new Shift);
  network(layers, d_x, d_y);
  inTurn(d_x, d_y);
  double total = tuned(layers, d_x);
  for (int round = 0; round < 10; ++round)
    total += timed(d_y, d_x);
  for (int round = 0; round < 10; ++round) {
    waited(d_y);
    between();
  }
  for (int round = 0; round < 10; ++round) {
    settled(d_y);
    total = stamped(d_y, total);
  }
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&x[1], d_y, 4, cudaMemcpyDeviceToHost));
  printf("%d %08x\n", total == total, checksum(x));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}
