// An asynchronous copy gains no wait: the stream is held until the host has submitted all of them.
// SPDX-License-Identifier: Apache-2.0
// TIMEOUT: 30
// OPTIONS: audit=full
// EXPECT-STDOUT: submitted 40
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <atomic>
#include <string.h>
#include <thread>

static std::atomic<bool> submitted{false};

static void hold(void *) {
  while (!submitted)
    std::this_thread::yield();
}

int main() {
  constexpr size_t n = 1 << 18;
  float *in, *out, *d_a, *d_b;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMallocHost(&in, 4 * n));
  CHECK(cudaMallocHost(&out, 4 * n));
  CHECK(cudaMalloc(&d_a, 4 * n));
  CHECK(cudaMalloc(&d_b, 4 * n));
  memcpy(in, noise(n).data(), 4 * n);
  CHECK(cudaLaunchHostFunc(stream, hold, nullptr));
  int calls = 0;
  for (int round = 0; round < 10; ++round) {
    CHECK(cudaMemcpyAsync(d_a, in, 4 * n, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_b, d_a, 4 * n, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpyAsync(out, d_b, 4 * n, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemsetAsync(d_b, round, 4 * n, stream));
    calls += 4;
  }
  printf("submitted %d\n", calls);
  submitted = true;
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(out, 4 * n));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
}
