// One side of launch-pairs: the same loops, built once plain and once with the plugin.
// SPDX-License-Identifier: Apache-2.0
//
// -DSIDE=plain or -DSIDE=instrumented names the entry point.
#include "LaunchPairs.h"
#include <atomic>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

namespace {

__global__ void empty() {}
__global__ void step(const float *from, float *to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = 0.5f * from[i];
}

int launches(int count) {
  for (int i = 0; i < count; ++i)
    empty<<<1, 32>>>();
  return cudaDeviceSynchronize();
}

/// Between two buffers, there and back.
int steps(int count) {
  constexpr int Elements = 32;
  float *from, *to;
  if (cudaError_t error = cudaMalloc(&from, Elements * sizeof(float)))
    return error;
  if (cudaError_t error = cudaMalloc(&to, Elements * sizeof(float)))
    return error;
  for (int i = 0; i < count; i += 2) {
    step<<<1, 32>>>(from, to, Elements);
    step<<<1, 32>>>(to, from, Elements);
  }
  if (cudaError_t error = cudaDeviceSynchronize())
    return error;
  cudaFree(from);
  cudaFree(to);
  return 0;
}

int threads(int number, int count) {
  std::vector<std::thread> all;
  std::atomic<int> result{0};
  for (int i = 0; i < number; ++i)
    all.emplace_back([&] {
      for (int j = 0; j < count; ++j)
        empty<<<1, 32, 0, cudaStreamPerThread>>>();
      if (cudaError_t error = cudaStreamSynchronize(cudaStreamPerThread))
        result = error;
    });
  for (std::thread &thread : all)
    thread.join();
  return result;
}

int allocations(int count) {
  for (int i = 0; i < count; ++i) {
    void *block;
    if (cudaError_t error = cudaMalloc(&block, 1 << 20))
      return error;
    if (cudaError_t error = cudaFree(block))
      return error;
  }
  return 0;
}

int copies(int count, std::size_t bytes) {
  void *host, *device;
  if (cudaError_t error = cudaMallocHost(&host, bytes))
    return error;
  if (cudaError_t error = cudaMalloc(&device, bytes))
    return error;
  for (int i = 0; i < count; ++i)
    if (cudaError_t error = cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice))
      return error;
  if (cudaError_t error = cudaDeviceSynchronize())
    return error;
  cudaFree(device);
  cudaFreeHost(host);
  return 0;
}

/// `graph` is made in the first round.
cudaError_t captureRound(cudaStream_t stream, cudaGraphExec_t &graph) {
  cudaGraph_t captured;
  if (cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))
    return error;
  for (int i = 0; i < 100; ++i)
    empty<<<1, 32, 0, stream>>>();
  if (cudaError_t error = cudaStreamEndCapture(stream, &captured))
    return error;
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = graph ? cudaGraphExecUpdate(graph, captured, &info)
                            : cudaGraphInstantiate(&graph, captured, 0);
  cudaGraphDestroy(captured);
  if (error || (error = cudaGraphLaunch(graph, stream)))
    return error;
  return cudaStreamSynchronize(stream);
}

int captures(int count) {
  cudaStream_t stream;
  if (cudaError_t error = cudaStreamCreate(&stream))
    return error;
  cudaGraphExec_t graph = nullptr;
  for (int i = 0; i < count; i += 100)
    if (cudaError_t error = captureRound(stream, graph))
      return error;
  cudaGraphExecDestroy(graph);
  return cudaStreamDestroy(stream);
}

} // namespace

Side SIDE() { return {launches, steps, threads, allocations, copies, captures}; }
