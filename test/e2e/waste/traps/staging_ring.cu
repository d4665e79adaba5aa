// Three staging buffers and three device slots take turns; events tell when a buffer is free.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: pageable-async
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>

constexpr int N = 1 << 16, Slots = 3;

__host__ __device__ inline void addAt(unsigned i, const float *chunk, float *sum) {
  sum[i] += chunk[i];
}
__global__ void add(const float *chunk, float *sum) { addAt(globalThread(), chunk, sum); }
SIMULATED(add, addAt)

int main() {
  float *staging[Slots], *d_slot[Slots], *d_sum, *sum;
  cudaEvent_t copied[Slots], used[Slots];
  cudaStream_t copies, work;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  for (int s = 0; s < Slots; ++s) {
    CHECK(cudaMallocHost(&staging[s], 4 * N));
    CHECK(cudaMalloc(&d_slot[s], 4 * N));
    CHECK(cudaEventCreateWithFlags(&copied[s], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used[s], cudaEventDisableTiming));
  }
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMallocHost(&sum, 4 * N));
  CHECK(cudaMemsetAsync(d_sum, 0, 4 * N, work));
  for (int chunk = 0; chunk < 30; ++chunk) {
    int s = chunk % Slots;
    if (chunk >= Slots)
      CHECK(cudaEventSynchronize(used[s]));
    memcpy(staging[s], noise(N, chunk + 1).data(), 4 * N);
    CHECK(cudaMemcpyAsync(d_slot[s], staging[s], 4 * N, cudaMemcpyHostToDevice, copies));
    CHECK(cudaEventRecord(copied[s], copies));
    CHECK(cudaStreamWaitEvent(work, copied[s], 0));
    add<<<N / 256, 256, 0, work>>>(d_slot[s], d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(used[s], work));
  }
  CHECK(cudaMemcpyAsync(sum, d_sum, 4 * N, cudaMemcpyDeviceToHost, work));
  CHECK(cudaStreamSynchronize(work));
  printf("%08x\n", checksum(sum, 4 * N));
  for (int s = 0; s < Slots; ++s) {
    CHECK(cudaFreeHost(staging[s]));
    CHECK(cudaFree(d_slot[s]));
    CHECK(cudaEventDestroy(copied[s]));
    CHECK(cudaEventDestroy(used[s]));
  }
  CHECK(cudaFree(d_sum));
  CHECK(cudaFreeHost(sum));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(work));
}
