// Data goes from one buffer to another through pinned memory, all of it submitted before any of it
// runs: what the host memory holds at the call is last round's.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: * proven
// EXPECT-NO: noop-copy line=@up
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <atomic>
#include <string.h>
#include <thread>

__host__ __device__ inline void bumpAt(unsigned i, float *x) { x[i] += 0.5f; }
__global__ void bump(float *x) { bumpAt(globalThread(), x); }
SIMULATED(bump, bumpAt)

static std::atomic<int> submitted{0};

static void hold(void *round) {
  while (submitted < *static_cast<int *>(round))
    std::this_thread::yield();
}

static uint32_t relay(int n) {
  float *d_from, *d_to, *staging;
  std::vector<float> result(n);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_from, 4 * n));
  CHECK(cudaMalloc(&d_to, 4 * n));
  CHECK(cudaMallocHost(&staging, 4 * n));
  memset(staging, 1, 4 * n);
  submitted = 0;
  uint32_t sum = 0;
  CHECK(cudaMemsetAsync(d_from, 0, 4 * n, stream));
  bump<<<n / 256, 256, 0, stream>>>(d_from); // loads the kernel, which may wait for the device
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
  for (int round = 1; round <= 8; ++round) {
    CHECK(cudaLaunchHostFunc(stream, hold, &round));
    bump<<<n / 256, 256, 0, stream>>>(d_from);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(staging, d_from, 4 * n, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(d_to, staging, 4 * n, cudaMemcpyHostToDevice, stream)); // @up
    submitted = round;
    CHECK(cudaStreamSynchronize(stream));
    memset(staging, 1, 4 * n); // seen at each submission
  }
  CHECK(cudaMemcpy(result.data(), d_to, 4 * n, cudaMemcpyDeviceToHost));
  sum = checksum(result);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_from));
  CHECK(cudaFree(d_to));
  CHECK(cudaFreeHost(staging));
  return sum;
}

int main() {
  printf("%08x\n", relay(512));
  printf("%08x\n", relay(1 << 18));
}
