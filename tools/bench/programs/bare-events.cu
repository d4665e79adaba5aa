// What a pair of events takes on the device: with nothing between them, and around a kernel.
// SPDX-License-Identifier: Apache-2.0
//
// usage: bare-events; a line each: the least and the median of 24 pairs, ns. `idle`: on a stream
// with nothing to do, `queued`: behind a kernel that holds the stream until all are handed over.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

namespace {

using Work = std::function<void()>;
constexpr int Pairs = 24;

__global__ void spin(long long ns) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < ns);
}

cudaError_t measure(const char *what, cudaStream_t stream, bool queued, const Work &between) {
  cudaEvent_t events[Pairs][2];
  for (auto &pair : events)
    for (cudaEvent_t &event : pair)
      if (cudaError_t error = cudaEventCreate(&event))
        return error;
  if (queued)
    spin<<<1, 1, 0, stream>>>(3000000);
  for (auto &pair : events) {
    cudaEventRecord(pair[0], stream);
    between();
    cudaEventRecord(pair[1], stream);
    if (!queued)
      cudaStreamSynchronize(stream);
  }
  if (cudaError_t error = cudaDeviceSynchronize())
    return error;
  std::vector<float> ns;
  for (auto &pair : events) {
    float ms = 0;
    if (cudaError_t error = cudaEventElapsedTime(&ms, pair[0], pair[1]))
      return error;
    ns.push_back(ms * 1e6f);
    cudaEventDestroy(pair[0]);
    cudaEventDestroy(pair[1]);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%-28s %8.0f %8.0f\n", what, ns.front(), ns[ns.size() / 2]);
  return cudaSuccess;
}

} // namespace

int main() {
  cudaStream_t stream;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  auto run = [&](const char *what, bool queued, const Work &between) {
    if (error == cudaSuccess)
      error = measure(what, stream, queued, between);
  };
  run("idle, nothing between", false, [] {});
  run("queued, nothing between", true, [] {});
  run("queued, kernel of 10 us", true, [&] { spin<<<1, 1, 0, stream>>>(10000); });
  run("queued, kernel of 50 us", true, [&] { spin<<<1, 1, 0, stream>>>(50000); });
  if (error != cudaSuccess)
    std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
