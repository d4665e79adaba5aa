// Graphs whose host functions write pinned memory that copies send, launched in rounds.
// SPDX-License-Identifier: Apache-2.0
#ifndef HOST_GRAPHS_H
#define HOST_GRAPHS_H

#include "data.h"
#include "kernel.h"

#include <atomic>
#include <string.h>
#include <thread>

constexpr int N = 1 << 16, Bytes = 4 * N;

__host__ __device__ inline void sumAt(unsigned i, const float *in, float *out) { out[i] += 1 + in[i]; }
__global__ void sum(const float *in, float *out) { sumAt(globalThread(), in, out); }
SIMULATED(sum, sumAt)

static float *h, *out; // of the host, pinned
static float *d_x, *d_y;
static cudaStream_t stream;
static std::atomic<int> submitted{0}, frame{0};

/// A kernel is loaded when it is first launched, which may wait for the device; that must not wait
/// for a host function which waits for the launch.
static void makeAll() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, sum));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&h, Bytes));
  CHECK(cudaMallocHost(&out, Bytes));
  CHECK(cudaMalloc(&d_x, Bytes));
  CHECK(cudaMalloc(&d_y, Bytes));
  CHECK(cudaMemset(d_y, 0, Bytes));
}
static void freeAll() {
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFreeHost(h));
  CHECK(cudaFreeHost(out));
}

/// In a host function: until the calls of its round are back.
static void awaitCalls(void *round) {
  while (submitted < *static_cast<int *>(round))
    std::this_thread::yield();
}

static void use() { sum<<<N / 256, 256, 0, stream>>>(d_x, d_y); }
static void show() {
  CHECK(cudaMemcpyAsync(out, d_y, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(out, Bytes));
}
static cudaGraphExec_t ended() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}
static void begin() { CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); }

/// Zeroes are there while the calls are made. `times` launches; `round` is which.
template <class Behind> static void rounds(cudaGraphExec_t exec, int &round, int times, Behind behind) {
  for (round = 1; round <= times; ++round) {
    submitted = 0;
    memset(h, 0, Bytes);
    CHECK(cudaGraphLaunch(exec, stream));
    behind();
    submitted = round;
    CHECK(cudaStreamSynchronize(stream));
    show();
  }
  CHECK(cudaGraphExecDestroy(exec));
}

#endif
