// One thread captures, the other queries an event: the capture stays valid.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// EXPECT-CLEAN
// EXPECT-STDOUT: captured 20 graphs
// EXPECT-STDOUT: 20 sets a graph
#include "../Inputs/check.h"

#include <atomic>
#include <cuda_runtime.h>
#include <thread>

static std::atomic<bool> done;

static void poll(cudaEvent_t event) {
  while (!done) {
    cudaError_t status = cudaEventQuery(event);
    if (status != cudaSuccess && status != cudaErrorNotReady)
      exit(3);
  }
}

int main() {
  cudaStream_t capturing, other;
  cudaEvent_t event;
  char *d_data;
  CHECK(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&d_data, 4096));
  CHECK(cudaEventRecord(event, other));
  std::thread poller(poll, event);
  int graphs = 0;
  size_t nodes = 0;
  for (int i = 0; i < 20; ++i) {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeThreadLocal));
    for (int j = 0; j < 20; ++j)
      CHECK(cudaMemsetAsync(d_data, j, 4096, capturing));
    CHECK(cudaStreamEndCapture(capturing, &graph));
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphDestroy(graph));
    ++graphs;
  }
  done = true;
  poller.join();
  printf("captured %d graphs\n%zu sets a graph\n", graphs, nodes);
  CHECK(cudaFree(d_data));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(capturing));
  CHECK(cudaStreamDestroy(other));
}
