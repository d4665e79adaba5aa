// Trap: the same bytes go up into fresh memory each time because a kernel sorts them in place:
// the earlier buffer was not freed unmodified.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void sortPairAt(unsigned i, float *keys) {
  float a = keys[2 * i], b = keys[2 * i + 1];
  keys[2 * i] = a < b ? a : b;
  keys[2 * i + 1] = a < b ? b : a;
}
__global__ void sortPairs(float *keys) { sortPairAt(globalThread(), keys); }
SIMULATED(sortPairs, sortPairAt)

int main() {
  std::vector<float> keys = noise(N), sorted(N);
  for (int run = 0; run < 8; ++run) {
    float *d_keys;
    CHECK(cudaMalloc(&d_keys, N * 4));
    CHECK(cudaMemcpy(d_keys, keys.data(), N * 4, cudaMemcpyHostToDevice));
    sortPairs<<<N / 512, 256>>>(d_keys);
    CHECK(cudaGetLastError());
    sorted.assign(N, 0);
    CHECK(cudaMemcpy(sorted.data(), d_keys, N * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_keys));
  }
  printf("%08x\n", checksum(sorted));
}
