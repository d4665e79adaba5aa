// Each tile is fetched back into the host array that it came from, though kernels only read it.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip function=main line=@fetch count>=5 bytes>=5MiB
// EXPECT-NO: dead-copy
// EXPECT-REPORT: *fix: drop this transfer: the host has the bytes that it sent*
// EXPECT-NO[twin]: * proven
// EXPECT-NO[twin]: * likely
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Tiles = 6;

__host__ __device__ inline void rangeAt(unsigned i, const float *tile, float *sum) {
  sum[i] += tile[i];
}
__global__ void range(const float *tile, float *sum) { rangeAt(globalThread(), tile, sum); }
SIMULATED(range, rangeAt)

int main() {
  std::vector<float> tile, sum(N);
  float *d_tile, *d_sum;
  tile.reserve(N);
  CHECK(cudaMalloc(&d_tile, N * 4));
  CHECK(cudaMalloc(&d_sum, N * 4));
  CHECK(cudaMemset(d_sum, 0, N * 4));
  for (int i = 0; i < Tiles; ++i) {
    std::vector<float> next = noise(N, i + 1);
    tile.assign(next.begin(), next.end());
    CHECK(cudaMemcpy(d_tile, tile.data(), N * 4, cudaMemcpyHostToDevice));
    range<<<N / 256, 256>>>(d_tile, d_sum);
    CHECK(cudaGetLastError());
#ifndef FIXED
    CHECK(cudaMemcpy(tile.data(), d_tile, N * 4, cudaMemcpyDeviceToHost)); // @fetch
#endif
    printf("%08x\n", checksum(tile));
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_tile));
  CHECK(cudaFree(d_sum));
}
