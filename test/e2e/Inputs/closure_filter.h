// A filter as a closure that a kernel gets by value: it reads the weights and writes beside them.
// With WRITES it also writes the weights, though never in these runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

constexpr int N = 1 << 18, Steps = 12;

template <class F> __global__ void each(int n, F f) {
  const int i = int(globalThread());
  if (i < n)
    f(i);
}

int main() {
  std::vector<float> weights = noise(N, 1), out(N);
  float *d_weights, *d_out;
  CHECK(cudaMalloc(&d_weights, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  for (int step = 1; step <= Steps; ++step) {
#ifdef FIXED
    if (step == 1)
#endif
      CHECK(cudaMemcpy(d_weights, weights.data(), 4 * N, cudaMemcpyHostToDevice)); // @weights
    each<<<N / 256, 256>>>(N, [=] __device__(int i) {
#ifdef WRITES
      if (step < 0)
        d_weights[i] = 0;
#endif
      d_out[i] = d_weights[i] * float(i % 7) / float(step);
    });
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
  }
  CHECK(cudaFree(d_weights));
  CHECK(cudaFree(d_out));
}
