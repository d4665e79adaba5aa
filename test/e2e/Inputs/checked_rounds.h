// New values in each round, which a kernel of the includer's, check(), looks at; a flag beside them.
// SPDX-License-Identifier: Apache-2.0
#ifndef CHECKED_ROUNDS_H
#define CHECKED_ROUNDS_H

#include "data.h"
#include "kernel.h"

constexpr int N = 4096, Rounds = 8;

/// `prepare(flag)` before them, `clear(flag, round)` in each, before the kernel. The last round has a
/// value below 0.
template <class Prepare, class Clear> void checkInRounds(Prepare prepare, Clear clear) {
  std::vector<float> values = noise(N);
  float *x;
  int *flag, seen = 0, failed = 0;
  CHECK(cudaMalloc(&x, 4 * N));
  CHECK(cudaMalloc(&flag, sizeof(int)));
  prepare(flag);
  for (int round = 0; round < Rounds; ++round) {
    for (float &value : values)
      value += 1;
    if (round == Rounds - 1)
      values[7] = -1;
    CHECK(cudaMemcpy(x, values.data(), 4 * N, cudaMemcpyHostToDevice));
    clear(flag, round);
    check<<<N / 256, 256>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    seen += round;
  }
  CHECK(cudaMemcpy(&failed, flag, sizeof(int), cudaMemcpyDeviceToHost));
  printf("%d %d\n", seen, failed);
  CHECK(cudaFree(x));
  CHECK(cudaFree(flag));
}

#endif
