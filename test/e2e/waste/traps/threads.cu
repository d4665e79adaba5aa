// Four threads with a stream each, all at work at once; every upload is new, and results must be
// what they are without the tool.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz nvcc
// FLAGS: -pthread
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <string.h>
#include <thread>

constexpr int N = 1 << 16, Workers = 4, Rounds = 25;

__host__ __device__ inline void mixAt(unsigned i, const float *in, float *state) {
  state[i] = 0.5f * state[i] + in[i];
}
__global__ void mix(const float *in, float *state) { mixAt(globalThread(), in, state); }
SIMULATED(mix, mixAt)

static void work(int worker, uint32_t *result) {
  float *in, *state, *d_in, *d_state;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMallocHost(&in, 4 * N));
  CHECK(cudaMallocHost(&state, 4 * N));
  CHECK(cudaMalloc(&d_in, 4 * N));
  CHECK(cudaMalloc(&d_state, 4 * N));
  CHECK(cudaMemsetAsync(d_state, 0, 4 * N, stream));
  for (int round = 0; round < Rounds; ++round) {
    memcpy(in, noise(N, worker * 1000 + round + 1).data(), 4 * N);
    CHECK(cudaMemcpyAsync(d_in, in, 4 * N, cudaMemcpyHostToDevice, stream));
    mix<<<N / 256, 256, 0, stream>>>(d_in, d_state);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(state, d_state, 4 * N, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    *result = *result * 31 + checksum(state, 4 * N);
  }
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_state));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(state));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  std::vector<std::thread> workers;
  uint32_t results[Workers] = {};
  for (int i = 0; i < Workers; ++i)
    workers.emplace_back(work, i, &results[i]);
  for (std::thread &worker : workers)
    worker.join();
  for (uint32_t result : results)
    printf("%08x\n", result);
}
