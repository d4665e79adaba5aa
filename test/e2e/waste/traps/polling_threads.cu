// One thread launches kernels that fill the GPU and poll a flag; another makes copies, blocking and
// asynchronous, all the time, and sets the flag between them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// ONLY: gpu
// TIMEOUT: 60
// OPTIONS[!nvcc]: audit=full
// OPTIONS[nvcc]: audit=sampled budget=100
// EXPECT-STDOUT: ended: 200
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <atomic>
#include <string.h>
#include <thread>

constexpr int N = 1 << 16, Rounds = 200;

__global__ void poll(volatile int *flag, int until, int *seen) {
  while (*flag < until)
    ;
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *seen += 1;
}

int main() {
  int *flag, *d_flag, *d_seen, perProcessor, processors, seen = 0;
  float *table, *d_table, *d_other;
  cudaStream_t busy, copies;
  CHECK(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&d_flag, flag, 0));
  CHECK(cudaMallocHost(&table, 4 * N));
  CHECK(cudaMalloc(&d_seen, 4));
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMalloc(&d_other, 4 * N));
  CHECK(cudaMemset(d_seen, 0, 4));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perProcessor, poll, 1024, 0));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  memcpy(table, noise(N).data(), 4 * N);
  *flag = 0;
  std::atomic<int> launched{0}, copied{0};
  std::thread copier([&] {
    while (copied < Rounds) {
      CHECK(cudaMemcpy(d_other, table, 4 * N, cudaMemcpyHostToDevice));
      CHECK(cudaMemcpyAsync(d_table, table, 4 * N, cudaMemcpyHostToDevice, copies));
      CHECK(cudaStreamSynchronize(copies));
      int now = launched;
      if (now > copied) {
        copied = now;
        *static_cast<volatile int *>(flag) = now;
      }
    }
  });
  for (int round = 1; round <= Rounds; ++round) {
    poll<<<perProcessor * processors, 1024, 0, busy>>>(d_flag, round, d_seen);
    CHECK(cudaGetLastError());
    launched = round;
    CHECK(cudaStreamSynchronize(busy));
  }
  copier.join();
  CHECK(cudaMemcpy(&seen, d_seen, 4, cudaMemcpyDeviceToHost));
  printf("ended: %d\n", seen);
  CHECK(cudaStreamDestroy(busy));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaFreeHost(flag));
  CHECK(cudaFreeHost(table));
  CHECK(cudaFree(d_seen));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_other));
}
