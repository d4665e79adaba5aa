// How long a pair of cudaMalloc and cudaFree takes on the host, in a loop.
// SPDX-License-Identifier: Apache-2.0
//
// usage: malloc-loop [PAIRS]; prints `seconds: X` for all of them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static bool allocate(int count) {
  for (int i = 0; i < count; ++i) {
    void *block = nullptr;
    if (cudaMalloc(&block, 256) != cudaSuccess || cudaFree(block) != cudaSuccess)
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  if (!allocate(100))
    return 1;
  const auto start = std::chrono::steady_clock::now();
  const bool ok = allocate(count);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("seconds: %.6f\n", elapsed.count());
  return ok ? 0 : 1;
}
