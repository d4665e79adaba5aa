// Device work of known kinds and lengths, for comparing device times with CUPTI's.
// SPDX-License-Identifier: Apache-2.0
//
// usage: truth. Kernels of 0.6 us to 200 ms, back to back and waited for one by one; sets and
// copies, each of a size of its own; then a training step as networks have it, kernel by kernel.
#include "truth-step.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  if (cudaError_t error = (call)) {                                                                \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                            \
    std::exit(2);                                                                                  \
  }

namespace {

__device__ void cycles(long long number) {
  const long long start = clock64();
  while (clock64() - start < number) {
  }
}
/// Where it is longer than the clocks of device and host may change.
__device__ void nanoseconds(unsigned long long number) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < number);
}

} // namespace

// In C, so that CUPTI's names are those of the source.
extern "C" {
__global__ void warm() { nanoseconds(100000000); }
__global__ void empty() {}
__global__ void us_1() { cycles(1000); }
__global__ void us_3() { cycles(5000); }
__global__ void us_3_waited() { cycles(5000); }
__global__ void us_3_behind_copy() { cycles(5000); }
__global__ void us_10() { cycles(19000); }
__global__ void us_50() { cycles(98000); }
__global__ void us_50_waited() { cycles(98000); }
__global__ void us_200() { nanoseconds(200000); }
__global__ void ms_1() { nanoseconds(1000000); }
__global__ void ms_10() { nanoseconds(10000000); }
__global__ void ms_200() { nanoseconds(200000000); }
}

namespace {

constexpr std::size_t MiB = std::size_t(1) << 20;

/// `work` so many times, then waits for all.
template <class Work> void repeat(int times, Work work) {
  for (int i = 0; i < times; ++i)
    work();
  CHECK(cudaDeviceSynchronize());
}

void kernels() {
  repeat(2000, [] { empty<<<1, 32>>>(); });
  repeat(1000, [] { us_1<<<1, 32>>>(); });
  repeat(500, [] { us_3<<<1, 32>>>(); });
  repeat(200, [] {
    us_3_waited<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
  });
  repeat(300, [] { us_10<<<1, 32>>>(); });
  repeat(100, [] { us_50<<<1, 32>>>(); });
  repeat(100, [] {
    us_50_waited<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
  });
  repeat(40, [] { us_200<<<1, 1>>>(); });
  repeat(20, [] { ms_1<<<1, 1>>>(); });
  repeat(3, [] { ms_10<<<1, 1>>>(); });
  repeat(2, [] { ms_200<<<1, 1>>>(); });
}

/// Sizes differ a little, as they are what tells the rows apart.
void transfers() {
  char *device, *pinned;
  static char pageable[16 * MiB];
  CHECK(cudaMalloc(&device, 64 * MiB));
  CHECK(cudaMallocHost(&pinned, 2 * MiB));
  std::memset(pinned, 1, 2 * MiB);
  std::memset(pageable, 1, sizeof pageable);
  repeat(200, [&] { CHECK(cudaMemsetAsync(device, 1, 4096)); });
  repeat(50, [&] { CHECK(cudaMemsetAsync(device, 1, 64 * MiB)); });
  repeat(100, [&] { CHECK(cudaMemcpyAsync(device, pinned, MiB, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(device, pinned, MiB + 4096, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(device, pageable, MiB + 8192, cudaMemcpyHostToDevice)); });
  repeat(50,
         [&] { CHECK(cudaMemcpyAsync(device, pageable, MiB + 12288, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(pageable, device, MiB, cudaMemcpyDeviceToHost)); });
  repeat(50, [&] {
    CHECK(cudaMemcpyAsync(device + 32 * MiB, device, 16 * MiB, cudaMemcpyDeviceToDevice));
  });
  repeat(50, [&] { CHECK(cudaMemcpy(device, pageable, MiB / 16, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(pageable, device, MiB / 16, cudaMemcpyDeviceToHost)); });
  repeat(50, [&] { CHECK(cudaMemcpy(device, pageable, MiB / 4, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(pageable, device, MiB / 4, cudaMemcpyDeviceToHost)); });
  repeat(50, [&] { CHECK(cudaMemcpy(device, pageable, 4 * MiB, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(pageable, device, 4 * MiB, cudaMemcpyDeviceToHost)); });
  repeat(50, [&] { CHECK(cudaMemcpy(device, pageable, 16 * MiB, cudaMemcpyHostToDevice)); });
  repeat(50, [&] { CHECK(cudaMemcpy(pageable, device, 16 * MiB, cudaMemcpyDeviceToHost)); });
  // One engine after the other.
  repeat(100, [&] {
    CHECK(cudaMemcpyAsync(device, pinned, MiB + 16384, cudaMemcpyHostToDevice));
    us_3_behind_copy<<<1, 32>>>();
    CHECK(cudaMemcpyAsync(pinned, device, MiB + 20480, cudaMemcpyDeviceToHost));
  });
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
}

} // namespace

int main() {
  warm<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  kernels();
  transfers();
  CHECK(trainingSteps(200));
}
