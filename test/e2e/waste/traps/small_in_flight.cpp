// Small uploads of pinned memory, in a stream that is held: the host changes the bytes after the
// call and before the copy. Every one of them is news for the device.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <atomic>
#include <cuda_runtime.h>
#include <string.h>
#include <thread>

static std::atomic<int> written{0};

static void hold(void *round) {
  while (written < *static_cast<int *>(round))
    std::this_thread::yield();
}

int main() {
  constexpr size_t n = 64;
  std::vector<int> log(n * 40);
  int *message, *d_message, *d_log;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&message, 4 * n));
  CHECK(cudaMalloc(&d_message, 4 * n));
  CHECK(cudaMalloc(&d_log, 4 * n * 40));
  for (int round = 1; round <= 40; ++round) {
    memset(message, 0, 4 * n);
    CHECK(cudaLaunchHostFunc(stream, hold, &round));
    CHECK(cudaMemcpyAsync(d_message, message, 4 * n, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_log + (round - 1) * n, d_message, 4 * n, cudaMemcpyDeviceToDevice, stream));
    message[round] = round;
    written = round;
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaMemcpy(log.data(), d_log, log.size() * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(log));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(message));
  CHECK(cudaFree(d_message));
  CHECK(cudaFree(d_log));
}
