// Nodes of a graph run as its edges say, not in the order in which they were added or captured: an edge from a later
// one to an earlier one may be added afterwards. No copy here is dead, each is read by the one behind it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: dead-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>
#include <string.h>

constexpr int N = 1 << 16, Bytes = 4 * N;
static float *one, *other, *first, *second, *d_x;

static void refill(unsigned seed) {
  memcpy(one, noise(N, seed).data(), Bytes);
  memcpy(other, noise(N, seed + 1).data(), Bytes);
}

/// Two uploads to d_x, and a download behind each.
static void run(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (unsigned round = 0; round < 6; ++round) {
    refill(10 * round);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%08x %08x\n", checksum(first, Bytes), checksum(second, Bytes));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void byHand(cudaStream_t stream) {
  constexpr auto Up = cudaMemcpyHostToDevice, Down = cudaMemcpyDeviceToHost;
  cudaGraph_t graph;
  cudaGraphNode_t up, upAgain, down, downAgain;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, d_x, one, Bytes, Up));
  CHECK(cudaGraphAddMemcpyNode1D(&upAgain, graph, nullptr, 0, d_x, other, Bytes, Up));
  CHECK(cudaGraphAddMemcpyNode1D(&down, graph, nullptr, 0, first, d_x, Bytes, Down));
  CHECK(cudaGraphAddMemcpyNode1D(&downAgain, graph, &upAgain, 1, second, d_x, Bytes, Down));
  cudaGraphNode_t from[] = {up, down}, to[] = {down, upAgain};
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
#else
  CHECK(cudaGraphAddDependencies(graph, from, to, 2));
#endif
  run(graph, stream);
}

/// Captured in two branches that nothing orders; the edge comes later.
static void captured(cudaStream_t stream, cudaStream_t branch) {
  cudaGraph_t graph;
  cudaEvent_t fork, join;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t count;
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(branch, fork, 0));
  CHECK(cudaMemcpyAsync(d_x, one, Bytes, cudaMemcpyHostToDevice, branch));
#if CUDART_VERSION >= 13000
  CHECK(cudaStreamGetCaptureInfo(branch, &status, nullptr, nullptr, &last, nullptr, &count));
#else
  CHECK(cudaStreamGetCaptureInfo_v2(branch, &status, nullptr, nullptr, &last, &count));
#endif
  cudaGraphNode_t up = last[0];
  CHECK(cudaMemcpyAsync(second, d_x, Bytes, cudaMemcpyDeviceToHost, branch));
  CHECK(cudaMemcpyAsync(d_x, other, Bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(first, d_x, Bytes, cudaMemcpyDeviceToHost, stream));
#if CUDART_VERSION >= 13000
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count));
#else
  CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &last, &count));
#endif
  cudaGraphNode_t down = last[0];
  CHECK(cudaEventRecord(join, branch));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, &down, &up, nullptr, 1));
#else
  CHECK(cudaGraphAddDependencies(graph, &down, &up, 1));
#endif
  run(graph, stream);
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
}

int main() {
  cudaStream_t stream, branch;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&branch));
  for (float **buffer : {&one, &other, &first, &second})
    CHECK(cudaMallocHost(buffer, Bytes));
  CHECK(cudaMalloc(&d_x, Bytes));
  byHand(stream);
  captured(stream, branch);
  for (float *buffer : {one, other, first, second})
    CHECK(cudaFreeHost(buffer));
  CHECK(cudaFree(d_x));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(branch));
}
