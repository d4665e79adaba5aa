// Uploads on one stream, kernels that use up the buffer on another, ordered by events in both
// directions; the next upload of the same bytes is needed, whichever way they interleave.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 18;

__host__ __device__ inline void consumeAt(unsigned i, float *tokens, float *sum) {
  sum[i] += tokens[i];
  tokens[i] = 0;
}
__global__ void consume(float *tokens, float *sum) { consumeAt(globalThread(), tokens, sum); }
SIMULATED(consume, consumeAt)

int main() {
  float *tokens, *d_tokens, *d_sum;
  std::vector<float> sum(N);
  cudaStream_t copies, work;
  cudaEvent_t full, empty;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&full, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&empty, cudaEventDisableTiming));
  CHECK(cudaMallocHost(&tokens, 4 * N));
  CHECK(cudaMalloc(&d_tokens, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  memcpy(tokens, noise(N).data(), 4 * N);
  CHECK(cudaMemsetAsync(d_sum, 0, 4 * N, work));
  for (int round = 0; round < 20; ++round) {
    CHECK(cudaMemcpyAsync(d_tokens, tokens, 4 * N, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(full, copies));
    CHECK(cudaStreamWaitEvent(work, full, 0));
    consume<<<N / 256, 256, 0, work>>>(d_tokens, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(empty, work));
    CHECK(cudaStreamWaitEvent(copies, empty, 0));
  }
  CHECK(cudaStreamSynchronize(work));
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaEventDestroy(full));
  CHECK(cudaEventDestroy(empty));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaFreeHost(tokens));
  CHECK(cudaFree(d_tokens));
  CHECK(cudaFree(d_sum));
}
