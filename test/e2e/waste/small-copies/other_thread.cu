// Trap: one thread sends the rows, another one launches what uses each, in turn.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// OPTIONS: audit=full
// EXPECT-NO: small-copies
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <thread>

constexpr int N = 1 << 10;

__host__ __device__ inline void addAt(unsigned i, float *to, const float *from) {
  to[i] += from[i];
}
__global__ void add(float *to, const float *from) { addAt(globalThread(), to, from); }
SIMULATED(add, addAt)

int main() {
  const std::vector<float> rows = noise(24 * N);
  std::vector<float> out(N);
  float *d_row, *d_sum;
  CHECK(cudaMalloc(&d_row, 4 * N));
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  for (int row = 0; row < 24; ++row) {
    CHECK(cudaMemcpy(d_row, &rows[row * N], 4 * N, cudaMemcpyHostToDevice));
    std::thread([&] {
      add<<<N / 256, 256>>>(d_sum, d_row);
      CHECK(cudaDeviceSynchronize());
    }).join();
  }
  CHECK(cudaMemcpy(out.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_row));
  CHECK(cudaFree(d_sum));
}
