// Wrappers that ask for their stream, which is made when it is first asked for, or guard the device:
// each line that uses one has its own row, in its own words.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@weights via=@send variable=d_weights count=4
// EXPECT: noop-copy proven function=main line=@bias via=@send variable=d_bias count=4
// EXPECT: noop-copy proven function=main line=@mask via=@clear variable=d_mask count=4
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <vector>

static cudaStream_t currentStream() {
  static thread_local cudaStream_t stream = nullptr;
  if (!stream)
    CHECK(cudaStreamCreate(&stream));
  return stream;
}

template <class T> static void send(T *to, const T *from, size_t n) {
  CHECK(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyHostToDevice, currentStream())); // @send
}

struct DeviceGuard {
  explicit DeviceGuard(int device) {
    CHECK(cudaGetDevice(&before));
    CHECK(cudaSetDevice(device));
  }
  ~DeviceGuard() { CHECK(cudaSetDevice(before)); }
  int before;
};
static void clear(float *d, size_t n, int device) {
  DeviceGuard guard(device);
  CHECK(cudaMemset(d, 0, n * sizeof(float))); // @clear
}

int main() {
  const size_t n = 1024;
  std::vector<float> weights(n, 1), bias(n, 2), back(n);
  float *d_weights, *d_bias, *d_mask;
  CHECK(cudaMalloc(&d_weights, n * 4));
  CHECK(cudaMalloc(&d_bias, n * 4));
  CHECK(cudaMalloc(&d_mask, n * 4));
  weights[0] = bias[0] = 7;
  for (int round = 0; round < 5; ++round)
#ifdef FIXED
    if (round == 0)
#endif
    {
      send(d_weights, weights.data(), n); // @weights
      send(d_bias, bias.data(), n);       // @bias
      clear(d_mask, n, 0);                // @mask
    }
  CHECK(cudaStreamSynchronize(currentStream()));
  float sum = 0;
  for (float *d : {d_weights, d_bias, d_mask}) {
    CHECK(cudaMemcpy(back.data(), d, n * 4, cudaMemcpyDeviceToHost));
    sum += back[0];
  }
  printf("%g\n", sum);
  CHECK(cudaFree(d_weights));
  CHECK(cudaFree(d_bias));
  CHECK(cudaFree(d_mask));
  CHECK(cudaStreamDestroy(currentStream()));
}
