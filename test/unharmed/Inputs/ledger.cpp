// Keeps its own books of what it holds, whatever fails. See failures.py.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda_runtime_api.h>

int main() {
  static void *device[12], *host[6];
  static cudaStream_t streams[3];
  unsigned long counts[3] = {}, bytes = 0;
  unsigned failed = 0;
  auto good = [&](cudaError_t error) {
    failed += error != cudaSuccess;
    return error == cudaSuccess;
  };
  for (unsigned i = 0; i < 12; ++i) {
    const size_t size = 1024 * (i + 1);
    void *p = nullptr;
    if (good(i % 3 == 2 ? cudaMallocAsync(&p, size, nullptr) : cudaMalloc(&p, size))) {
      device[i] = p;
      ++counts[0];
      bytes += size;
      (void)good(cudaMemset(p, 0, size));
      if (i % 2 == 0 && good(i % 3 == 2 ? cudaFreeAsync(p, nullptr) : cudaFree(p))) {
        device[i] = nullptr;
        --counts[0];
        bytes -= size;
      }
    }
    if (i < 6 && good(cudaMallocHost(&host[i], 4096))) {
      ++counts[1];
      if (i % 2 && good(cudaFreeHost(host[i])))
        --counts[1];
    }
    if (i < 3 && good(cudaStreamCreate(&streams[i]))) {
      ++counts[2];
      if (i == 1 && good(cudaStreamDestroy(streams[i])))
        --counts[2];
    }
  }
  (void)good(cudaDeviceSynchronize());
  std::printf("failed %u device %lu bytes %lu host %lu streams %lu\n", failed, counts[0], bytes,
              counts[1], counts[2]);
}
