// An upload behind a slow kernel is overtaken by one of another line, on a stream that waits for nobody: what that finds
// there, and brings, is not what the first one sent.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: audit=full
// EXPECT-NO: reupload proven
// EXPECT-NO: noop-copy proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>
#include <string.h>

constexpr int N = 1 << 16, Bytes = 4 * N;

__global__ void slow(unsigned *seed, int rounds) {
  unsigned x = *seed;
  for (int i = 0; i < rounds; ++i)
    x = x * 1664525u + (x >> 7);
  *seed = x;
}

int main() {
  float *first, *zeroes, *d_x;
  unsigned *d_seed;
  cudaStream_t behind, beside;
  std::vector<float> out(N);
  CHECK(cudaMallocHost(&first, Bytes));
  CHECK(cudaMallocHost(&zeroes, Bytes));
  memcpy(first, noise(N).data(), Bytes);
  memset(zeroes, 0, Bytes);
  CHECK(cudaMalloc(&d_x, Bytes));
  CHECK(cudaMalloc(&d_seed, 4));
  CHECK(cudaMemset(d_x, 0, Bytes));
  CHECK(cudaMemset(d_seed, 1, 4));
  CHECK(cudaStreamCreateWithFlags(&behind, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  slow<<<1, 1, 0, behind>>>(d_seed, 40000000);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(d_x, first, Bytes, cudaMemcpyHostToDevice, behind));
  CHECK(cudaMemcpyAsync(d_x, zeroes, Bytes, cudaMemcpyHostToDevice, beside));
  CHECK(cudaStreamSynchronize(beside));
  CHECK(cudaStreamSynchronize(behind));
  CHECK(cudaMemcpy(out.data(), d_x, Bytes, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaStreamDestroy(behind));
  CHECK(cudaStreamDestroy(beside));
  CHECK(cudaFreeHost(first));
  CHECK(cudaFreeHost(zeroes));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_seed));
}
