// A camera thread fills the pinned frame while the copy of it still waits in its stream: what the
// call saw in host memory is not what arrives.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
// EXPECT-NO: uniform-upload
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <atomic>
#include <string.h>
#include <thread>

static std::atomic<int> submitted{0}, ready{0};

/// Holds the stream until the frame of this round is there.
static void awaitFrame(void *round) {
  while (ready < *static_cast<int *>(round))
    std::this_thread::yield();
}

int main() {
  constexpr size_t n = 1 << 18;
  float *frame, *d_frame, *d_movie;
  std::vector<float> movie(6 * n);
  cudaStream_t stream;
  CHECK(cudaMallocHost(&frame, 4 * n));
  CHECK(cudaMalloc(&d_frame, 4 * n));
  CHECK(cudaMalloc(&d_movie, 6 * 4 * n));
  CHECK(cudaStreamCreate(&stream));
  for (int round = 1; round <= 6; ++round) {
    memset(frame, 0, 4 * n); // the same bytes whenever the copy is submitted
    std::thread camera([&] {
      while (submitted < round)
        std::this_thread::yield();
      memcpy(frame, noise(n, round).data(), 4 * n);
      ready = round;
    });
    CHECK(cudaLaunchHostFunc(stream, awaitFrame, &round));
    CHECK(cudaMemcpyAsync(d_frame, frame, 4 * n, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_movie + (round - 1) * n, d_frame, 4 * n, cudaMemcpyDeviceToDevice, stream));
    submitted = round;
    CHECK(cudaStreamSynchronize(stream));
    camera.join();
  }
  CHECK(cudaMemcpy(movie.data(), d_movie, 6 * 4 * n, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(movie));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_frame));
  CHECK(cudaFreeHost(frame));
  CHECK(cudaFree(d_movie));
}
