// A kernel fills the GPU and polls a flag in device memory, which a copy on another stream sets, behind
// copies that have been seen before. A hash that the kernel kept from starting would keep the flag.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc clang-ptsz
// ONLY: gpu
// TIMEOUT: 40
// OPTIONS[!nvcc]: audit=full
// OPTIONS[nvcc]: audit=sampled budget=100
// EXPECT-STDOUT: ended: 40
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <string.h>

constexpr int N = 1 << 18;

__global__ void poll(volatile int *flag, int *seen) {
  while (!*flag)
    ;
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *seen += 1;
}

int main() {
  int *values, *d_flag, *d_seen, perProcessor, processors, seen = 0;
  float *table, *d_table;
  cudaStream_t busy, copies;
  CHECK(cudaMallocHost(&values, 8));
  CHECK(cudaMallocHost(&table, 4 * N));
  CHECK(cudaMalloc(&d_flag, 4));
  CHECK(cudaMalloc(&d_seen, 4));
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMemset(d_seen, 0, 4));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perProcessor, poll, 1024, 0));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  memcpy(table, noise(N).data(), 4 * N);
  values[0] = 0;
  values[1] = 1;
  for (int round = 0; round < 40; ++round) {
    CHECK(cudaMemcpyAsync(d_flag, &values[0], 4, cudaMemcpyHostToDevice, copies));
    for (int i = 0; i < 3; ++i)
      CHECK(cudaMemcpyAsync(d_table, table, 4 * N, cudaMemcpyHostToDevice, copies));
    poll<<<perProcessor * processors, 1024, 0, busy>>>(d_flag, d_seen);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(d_table, table, 4 * N, cudaMemcpyHostToDevice, copies));
    CHECK(cudaMemcpyAsync(d_flag, &values[1], 4, cudaMemcpyHostToDevice, copies));
    if (round % 2) // or else it goes on with what is under way
      CHECK(cudaStreamSynchronize(copies));
    CHECK(cudaStreamSynchronize(busy));
  }
  CHECK(cudaMemcpy(&seen, d_seen, 4, cudaMemcpyDeviceToHost));
  printf("ended: %d\n", seen);
  CHECK(cudaStreamDestroy(busy));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaFreeHost(values));
  CHECK(cudaFreeHost(table));
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_seen));
  CHECK(cudaFree(d_table));
}
