// A kernel fills the GPU and polls a flag in pinned memory, while another stream copies the same
// bytes again and again. A kernel of the tool's own would wait behind it for ever.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: gpu
// TIMEOUT: 30
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-STDOUT: ended
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

#include <string.h>

constexpr int N = 1 << 18;

__global__ void poll(volatile int *flag, int *seen) {
  while (!*flag)
    ;
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *seen = 1;
}

int main() {
  int *flag, *d_flag, *d_seen, *h_seen, perProcessor, processors;
  float *table, *d_table;
  cudaStream_t busy, copies;
  CHECK(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&d_flag, flag, 0));
  CHECK(cudaMallocHost(&h_seen, 4));
  CHECK(cudaMallocHost(&table, 4 * N));
  CHECK(cudaMalloc(&d_seen, 4));
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perProcessor, poll, 1024, 0));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  memcpy(table, noise(N).data(), 4 * N);
  *flag = *h_seen = 0;
  poll<<<perProcessor * processors, 1024, 0, busy>>>(d_flag, d_seen);
  CHECK(cudaGetLastError());
  for (int round = 0; round < 20; ++round)
    CHECK(cudaMemcpyAsync(d_table, table, 4 * N, cudaMemcpyHostToDevice, copies));
  CHECK(cudaStreamSynchronize(copies));
  *static_cast<volatile int *>(flag) = 1;
  CHECK(cudaMemcpyAsync(h_seen, d_seen, 4, cudaMemcpyDeviceToHost, busy));
  CHECK(cudaStreamSynchronize(busy));
  printf("ended: %d\n", *h_seen);
  CHECK(cudaStreamDestroy(busy));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaFreeHost(flag));
  CHECK(cudaFreeHost(h_seen));
  CHECK(cudaFreeHost(table));
  CHECK(cudaFree(d_seen));
  CHECK(cudaFree(d_table));
}
