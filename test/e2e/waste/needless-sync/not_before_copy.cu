// Trap: a copy follows the wait, and it is needed all the same: for a time that the caller takes,
// for a function elsewhere, on one of two ways, for the other stream's copy, for a time that is taken
// behind a set or copy that only takes its place in the stream.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH-PLAIN: Inputs/elsewhere.cpp
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <chrono>

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

void elsewhere(int);

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void finish(float *d_x, cudaStream_t stream) {
  step<<<N / 256, 256, 0, stream>>>(d_x, 0.5f);
  CHECK(cudaStreamSynchronize(stream));
}

static double timed(float *d_x, float *x) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    double start = now();
    finish(d_x, nullptr);
    total += now() - start;
    CHECK(cudaMemcpy(x, d_x, 4 * N, cudaMemcpyDeviceToHost));
  }
  return total;
}

static void sometimesTimed(float *d_x, float *x, double &last) {
  for (int i = 0; i < 6; ++i) {
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize());
    if (i % 2)
      last = now();
    CHECK(cudaMemcpy(x, d_x, 4 * N, cudaMemcpyDeviceToHost));
  }
}

/// The host is at the clock at once where the call in front of it does not block.
template <class Queued> static double timedBehind(float *d_x, Queued queue) {
  double total = 0;
  for (int i = 0; i < 5; ++i) {
    double start = now();
    step<<<N / 256, 256>>>(d_x, 0.5f);
    CHECK(cudaDeviceSynchronize());
    queue(i);
    total += now() - start;
    step<<<N / 256, 256>>>(d_x, 0.75f);
  }
  return total;
}

static double timedBehindQueued(float *d_x, float *d_y) {
  return timedBehind(d_x, [&](int i) { CHECK(cudaMemset(d_y, i, 4 * N)); }) +
         timedBehind(d_x, [&](int i) { CHECK(cudaMemsetAsync(d_y, i, 2 * N)); }) +
         timedBehind(d_x, [&](int) {
           CHECK(cudaMemcpy(d_y, d_x, 4 * N, cudaMemcpyDeviceToDevice));
         }) +
         timedBehind(d_x, [&](int) {
           CHECK(cudaMemcpyAsync(d_y, d_x, 2 * N, cudaMemcpyDeviceToDevice));
         });
}

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *d_y;
  double last = 0;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  double seconds = timed(d_x, x.data());
  sometimesTimed(d_x, x.data(), last);
  for (int i = 0; i < 5; ++i) {
    finish(d_x, nullptr);
    elsewhere(i);
    CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMalloc(&d_y, 4 * N));
  seconds += timedBehindQueued(d_x, d_y);
  std::vector<float> y(N);
  CHECK(cudaMemcpy(y.data(), d_y, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_y));
  printf("%d %08x %08x\n", seconds > 0 && last > 0, checksum(x), checksum(y));
  // The copy is the default stream's, which does not wait for this one.
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 5; ++i) {
    finish(d_x, stream);
    CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(x));
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
}
