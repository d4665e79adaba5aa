// No launch and no copy waits for hashes: a stream is held until the host has seen another one end.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 clang-ptsz nvcc
// TIMEOUT: 30
// OPTIONS: audit=full
// The first three of a turn have nothing between them, and are looked at. Of the others nobody knows.
// EXPECT: noop-copy proven line=@before count<=24
// EXPECT-NO: * proven line=@held
// EXPECT-STDOUT: ended 12
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <atomic>
#include <string.h>
#include <thread>

constexpr int N = 1 << 18;

__host__ __device__ inline void addAt(unsigned i, float *sum, float value) { sum[i] += value; }
__global__ void add(float *sum, float value) { addAt(globalThread(), sum, value); }
SIMULATED(add, addAt)

static std::atomic<int> seen{0};
static int holds = 0;

static void hold(void *turn) {
  while (seen < *static_cast<int *>(turn))
    std::this_thread::yield();
}

int main() {
  float *in, *d_table, *d_sum, out;
  int turns[12];
  cudaStream_t copies, work;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CHECK(cudaMallocHost(&in, 4 * N));
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  CHECK(cudaDeviceSynchronize());
  add<<<N / 256, 256, 0, work>>>(d_sum, 0.0f); // its code is loaded when it runs first: that may wait
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  memcpy(in, noise(N).data(), 4 * N);
  for (int &turn : turns) {
    turn = ++holds;
    // Hashes of these wait in the stream, maybe; then it is held, with more copies behind.
    for (int i = 0; i < 3; ++i)
      CHECK(cudaMemcpyAsync(d_table, in, 4 * N, cudaMemcpyHostToDevice, copies)); // @before
    CHECK(cudaLaunchHostFunc(copies, hold, &turn));
    for (int i = 0; i < 3; ++i)
      CHECK(cudaMemcpyAsync(d_table, in, 4 * N, cudaMemcpyHostToDevice, copies)); // @held
    add<<<N / 256, 256, 0, work>>>(d_sum, 1.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(work));
    seen = turn;
    CHECK(cudaStreamSynchronize(copies));
  }
  CHECK(cudaMemcpy(&out, d_sum + 77, 4, cudaMemcpyDeviceToHost));
  printf("ended %d\n", int(out));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_sum));
}
