// A cache grows until the simulated device is full.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// ENV: GPUINSTR_SIM=memory=64M:kernels=skip
// EXPECT: out-of-memory information function=fill line=@grow bytes=16777216
// EXPECT-HOLDER: variable=block memory=device line=@grow count=3 bytes=50331648
// EXPECT-HOLDER: variable=d_fixed memory=device bytes=10485760 count=1
// EXPECT-CLEAN
// EXPECT-DEVICE: memory_bytes=67108864 peak_bytes=60817408
// EXPECT-STDOUT: 3 blocks
#include "../Inputs/check.h"

#include <vector>

static void fill(std::vector<void *> &cache) {
  void *block;
  while (cudaMalloc(&block, 16 << 20) == cudaSuccess) // @grow
    cache.push_back(block);
  cudaGetLastError();
}

int main() {
  void *d_fixed;
  CHECK(cudaMalloc(&d_fixed, 10 << 20));
  std::vector<void *> cache;
  fill(cache);
  printf("%zu blocks\n", cache.size());
  for (void *block : cache)
    CHECK(cudaFree(block));
  CHECK(cudaFree(d_fixed));
}
