// How long a launch of an empty kernel takes on the host, in a loop.
// SPDX-License-Identifier: Apache-2.0
//
// usage: launch-loop [LAUNCHES]; prints `seconds: X` for all of them and the final synchronize.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void empty() {}

static void launch(int count) {
  for (int i = 0; i < count; ++i)
    empty<<<1, 32>>>();
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 200000;
  launch(2000); // context, module and clocks
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  const auto start = std::chrono::steady_clock::now();
  launch(count);
  const cudaError_t error = cudaDeviceSynchronize();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("seconds: %.6f\n", elapsed.count());
  std::printf("per launch: %.1f ns\n", elapsed.count() / count * 1e9);
  return error == cudaSuccess ? 0 : 1;
}
