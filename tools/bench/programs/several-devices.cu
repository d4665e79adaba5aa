// Work on up to four devices by the same lines, more on each than on the one before.
// SPDX-License-Identifier: Apache-2.0
//
// usage: several-devices [STEPS]; a profile (json=PATH) has each device's shares.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(CALL)                                                                                \
  do {                                                                                             \
    if (cudaError_t error = (CALL)) {                                                              \
      std::printf("%s: %s\n", #CALL, cudaGetErrorString(error));                                   \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

namespace {

constexpr int Most = 4, N = 1 << 18;

__global__ void spin(long long ns) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < ns);
}

__global__ void touch(int *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = x[i] * 3 + 1;
}

} // namespace

int main(int argc, char **argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 2000;
  int devices, *host, *data[Most];
  CHECK(cudaGetDeviceCount(&devices));
  devices = std::min(devices, Most);
  CHECK(cudaMallocHost(&host, N * sizeof(int)));
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&data[d], N * sizeof(int)));
  }
  for (int step = 0; step < steps; ++step) {
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      CHECK(cudaMemcpyAsync(data[d], host, N * sizeof(int), cudaMemcpyHostToDevice, 0));
      for (int k = 0; k <= d; ++k)
        touch<<<256, 256>>>(data[d], N);
      spin<<<1, 32>>>(20000 + 30000 * d);
    }
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      CHECK(cudaDeviceSynchronize());
    }
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaFree(data[d]));
  }
  CHECK(cudaFreeHost(host));
}
