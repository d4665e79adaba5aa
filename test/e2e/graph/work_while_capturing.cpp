// A capture in global mode, and harmless asynchronous work on another thread.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// EXPECT-CLEAN
// EXPECT-STDOUT: captured 20
#include "../Inputs/check.h"

#include <atomic>
#include <cuda_runtime.h>
#include <thread>

static std::atomic<bool> done;

static void copyOn(cudaStream_t stream, char *d_data, const char *pinned) {
  while (!done) {
    CHECK(cudaMemcpyAsync(d_data, pinned, 4096, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(d_data, 1, 2048, stream));
    std::this_thread::yield();
  }
}

int main() {
  cudaStream_t capturing, other;
  char *d_data, *d_other, *pinned;
  CHECK(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_data, 4096));
  CHECK(cudaMalloc(&d_other, 4096));
  CHECK(cudaMallocHost(&pinned, 4096));
  std::thread worker(copyOn, other, d_other, pinned);
  int captured = 0;
  for (int i = 0; i < 20; ++i) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(d_data, pinned, 4096, cudaMemcpyHostToDevice, capturing));
    CHECK(cudaStreamEndCapture(capturing, &graph));
    CHECK(cudaGraphDestroy(graph));
    ++captured;
  }
  done = true;
  worker.join();
  printf("captured %d\n", captured);
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_other));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaStreamDestroy(capturing));
  CHECK(cudaStreamDestroy(other));
}
