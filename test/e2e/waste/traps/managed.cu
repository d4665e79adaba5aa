// Managed memory is written by the host without any call; copies into it are all needed.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void addAt(unsigned i, const float *in, float *out) { out[i] += in[i]; }
__global__ void add(const float *in, float *out) { addAt(globalThread(), in, out); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> start = noise(N);
  float *work, *sum;
  CHECK(cudaMallocManaged(&work, 4 * N));
  CHECK(cudaMallocManaged(&sum, 4 * N));
  CHECK(cudaMemset(sum, 0, 4 * N));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(work, start.data(), 4 * N, cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
    work[100 + round] = float(round); // the host's turn
    add<<<N / 256, 256>>>(work, sum);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  printf("%08x\n", checksum(sum, 4 * N));
  CHECK(cudaFree(work));
  CHECK(cudaFree(sum));
}
