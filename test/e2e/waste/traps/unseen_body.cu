// The kernel calls a function of another unit: const or not, nobody knows what it does.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-rdc nvcc-rdc
// ONLY: gpu
// WITH: Inputs/unseen.cu
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 16;

__device__ float unseen(const float *table, unsigned i, float threshold);

__global__ void apply(const float *table, float *out, float threshold) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += unseen(table, i, threshold);
}

int main() {
  std::vector<float> table = noise(N), out(N);
  float *d_table, *d_out;
  CHECK(cudaMalloc(&d_table, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMemset(d_out, 0, 4 * N));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_table, table.data(), 4 * N, cudaMemcpyHostToDevice));
    apply<<<N / 256, 256>>>(d_table, d_out, round == 7 ? 0.5f : 1.0f);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_out));
}
