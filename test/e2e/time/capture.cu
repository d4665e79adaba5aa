// Sampling puts nothing into a graph, and does not break a capture of another thread.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz
// FLAGS: -pthread
// OPTIONS: gpu_time=sampled:audit=off
// EXPECT-CLEAN
// EXPECT-STDOUT: captured 50 graphs of 3 nodes
// EXPECT-SITE: line=@captured device-method= device-samples=0
// EXPECT-SITE: line=@graph device-method=sampled device-samples>=16
// EXPECT-SITE: line=@beside device-method=sampled
#include "../Inputs/check.h"

#include <atomic>
#include <cuda_runtime.h>
#include <thread>

__global__ void touch(int *x) { *x += 1; }

static std::atomic<bool> started, done;

static void launchOn(cudaStream_t stream, int *d_x) {
  for (int i = 0; i < 20 || !done; ++i) {
    touch<<<1, 1, 0, stream>>>(d_x); // @beside
    CHECK(cudaGetLastError());
    started = true;
    std::this_thread::yield();
  }
}

int main() {
  cudaStream_t capturing, other;
  int *d_x, *d_y;
  CHECK(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&d_x, sizeof(int)));
  CHECK(cudaMalloc(&d_y, sizeof(int)));
  touch<<<1, 1, 0, capturing>>>(d_x); // loads the module
  CHECK(cudaStreamSynchronize(capturing));
  std::thread worker(launchOn, other, d_y);
  while (!started)
    std::this_thread::yield();
  int captured = 0;
  size_t nodes = 0;
  for (int i = 0; i < 50; ++i) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 3; ++k)
      touch<<<1, 1, 0, capturing>>>(d_x); // @captured
    CHECK(cudaStreamEndCapture(capturing, &graph));
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    captured += nodes == 3;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, capturing)); // @graph
    CHECK(cudaStreamSynchronize(capturing));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
  }
  done = true;
  worker.join();
  printf("captured %d graphs of 3 nodes\n", captured);
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaStreamDestroy(capturing));
  CHECK(cudaStreamDestroy(other));
}
