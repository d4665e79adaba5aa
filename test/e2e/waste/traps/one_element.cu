// Eight megabytes go up in each step; one element in the middle is new each time, then one byte.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 2 << 20;

__host__ __device__ inline void pickAt(unsigned i, const float *x, float *sum) {
  sum[i] += x[(N / 2 & ~1023u) + i];
}
__global__ void pick(const float *x, float *sum) { pickAt(globalThread(), x, sum); }
SIMULATED(pick, pickAt)

int main() {
  std::vector<float> x = noise(N), sum(1024);
  float *d_x, *d_sum;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4096));
  CHECK(cudaMemset(d_sum, 0, 4096));
  for (int step = 0; step < 12; ++step) {
    if (step < 6)
      x[N / 2 + 77] += 0.5f;
    else
      reinterpret_cast<unsigned char *>(x.data())[4 * N / 2 + 3333] ^= 1;
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
    pick<<<4, 256>>>(d_x, d_sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(sum.data(), d_sum, 4096, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
}
