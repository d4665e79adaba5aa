// A pinned weight matrix goes to a stream of its own before every batch; an event orders the work.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@weights variable=d_weights count=11 bytes=11MiB
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 18, Batches = 12;

__host__ __device__ inline void weighAt(unsigned i, const float *weights, float *batch) {
  batch[i] = batch[i] * weights[i] + 0.25f;
}
__global__ void weigh(const float *weights, float *batch) {
  weighAt(globalThread(), weights, batch);
}
SIMULATED(weigh, weighAt)

int main() {
  float *h_weights, *h_batch, *d_weights, *d_batch;
  cudaStream_t copies, work;
  cudaEvent_t there, done;
  CHECK(cudaMallocHost(&h_weights, N * 4));
  CHECK(cudaMallocHost(&h_batch, N * 4));
  CHECK(cudaMalloc(&d_weights, N * 4));
  CHECK(cudaMalloc(&d_batch, N * 4));
  CHECK(cudaStreamCreate(&copies));
  CHECK(cudaStreamCreate(&work));
  CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  memcpy(h_weights, noise(N).data(), N * 4);
  for (int batch = 0; batch < Batches; ++batch) {
    memcpy(h_batch, noise(N, batch + 2).data(), N * 4);
#ifdef FIXED
    if (batch == 0)
#endif
      CHECK(cudaMemcpyAsync(d_weights, h_weights, N * 4, cudaMemcpyHostToDevice, copies)); // @weights
    CHECK(cudaMemcpyAsync(d_batch, h_batch, N * 4, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(there, copies));
    CHECK(cudaStreamWaitEvent(work, there, 0));
    weigh<<<N / 256, 256, 0, work>>>(d_weights, d_batch);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(h_batch, d_batch, N * 4, cudaMemcpyDeviceToHost, work));
    CHECK(cudaEventRecord(done, work));
    CHECK(cudaStreamWaitEvent(copies, done, 0));
    CHECK(cudaStreamSynchronize(work));
    printf("%d: %08x\n", batch, checksum(h_batch, N * 4));
  }
  CHECK(cudaEventDestroy(there));
  CHECK(cudaEventDestroy(done));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaFree(d_weights));
  CHECK(cudaFree(d_batch));
  CHECK(cudaFreeHost(h_weights));
  CHECK(cudaFreeHost(h_batch));
}
