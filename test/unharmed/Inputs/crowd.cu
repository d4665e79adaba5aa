// Many threads that allocate, copy, set, launch, record and free, and count what they call.
// SPDX-License-Identifier: Apache-2.0
//
// usage: crowd THREADS ROUNDS. Prints a line `NAME COUNT` for each function. All is freed at the
// end.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

// clang-format off
#define COUNTED(X)                                                                                 \
  X(cudaMalloc) X(cudaMallocAsync) X(cudaMallocHost) X(cudaFree) X(cudaFreeAsync) X(cudaFreeHost)  \
  X(cudaMemcpy) X(cudaMemcpyAsync) X(cudaMemset) X(cudaMemsetAsync) X(step)                        \
  X(cudaStreamCreate) X(cudaStreamSynchronize) X(cudaStreamDestroy) X(cudaEventCreate)             \
  X(cudaEventRecord) X(cudaEventDestroy) X(cudaGetLastError)
// clang-format on
enum Function {
#define X(name) Of_##name,
  COUNTED(X)
#undef X
      Functions
};
static std::atomic<unsigned long> counts[Functions], failures;

static void done(Function function, cudaError_t error) {
  counts[function].fetch_add(1, std::memory_order_relaxed);
  if (error != cudaSuccess)
    failures.fetch_add(1, std::memory_order_relaxed);
}
#define DO(name, ...) done(Of_##name, name(__VA_ARGS__))

__global__ void step(int *data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] += i;
}

constexpr int Ints = 64, Kept = 4;

static void work(unsigned seed, unsigned rounds) {
  int *kept[Kept] = {}, *pinned = nullptr, *async = nullptr;
  int host[Ints] = {};
  cudaStream_t stream;
  DO(cudaStreamCreate, &stream);
  DO(cudaMallocHost, &pinned, sizeof host);
  for (unsigned round = 0; round < rounds; ++round) {
    seed = seed * 1664525 + 1013904223;
    int *&p = kept[seed >> 28 & (Kept - 1)];
    if (!p)
      DO(cudaMalloc, &p, sizeof host);
    switch (seed >> 20 & 7) {
    case 0:
      DO(cudaFree, p);
      p = nullptr;
      break;
    case 1:
      host[round % Ints] = int(seed);
      DO(cudaMemcpy, p, host, sizeof host, cudaMemcpyHostToDevice);
      break;
    case 2:
      DO(cudaMemcpyAsync, pinned, p, sizeof host, cudaMemcpyDeviceToHost, stream);
      DO(cudaStreamSynchronize, stream);
      break;
    case 3:
      DO(cudaMemset, p, int(round), sizeof host);
      break;
    case 4:
      step<<<1, 32, 0, stream>>>(p, Ints);
      counts[Of_step].fetch_add(1, std::memory_order_relaxed);
      DO(cudaGetLastError);
      DO(cudaStreamSynchronize, stream);
      break;
    case 5:
      DO(cudaMallocAsync, &async, sizeof host, stream);
      DO(cudaMemsetAsync, async, 1, sizeof host, stream);
      DO(cudaFreeAsync, async, stream);
      break;
    case 6:
      cudaEvent_t event;
      DO(cudaEventCreate, &event);
      DO(cudaEventRecord, event, stream);
      DO(cudaEventDestroy, event);
      break;
    default:
      DO(cudaMemcpyAsync, p, pinned, sizeof host, cudaMemcpyHostToDevice, stream);
      DO(cudaStreamSynchronize, stream);
    }
  }
  for (int *p : kept)
    if (p)
      DO(cudaFree, p);
  DO(cudaFreeHost, pinned);
  DO(cudaStreamDestroy, stream);
}

int main(int, char **arguments) {
  const int count = std::atoi(arguments[1]);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(work, unsigned(i) * 7919, std::atoi(arguments[2]));
  for (std::thread &thread : threads)
    thread.join();
#define X(name) std::printf(#name " %lu\n", counts[Of_##name].load());
  COUNTED(X)
  std::printf("failures %lu\n", failures.load());
}
