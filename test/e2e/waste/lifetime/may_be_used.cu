// Trap: buffers that kernels find by a table of addresses are used all along.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: lifetime
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void addAt(unsigned i, const float *const *table, float *out) {
  out[i] += table[0][i] + table[1][i];
}
__global__ void add(const float *const *table, float *out) { addAt(globalThread(), table, out); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> host = noise(N), result(N);
  float *d_a, *d_b, *d_out, **d_table;
  CHECK(cudaMalloc(&d_a, 4 * N));
  CHECK(cudaMalloc(&d_b, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  CHECK(cudaMalloc(&d_table, 2 * sizeof(float *)));
  CHECK(cudaMemcpy(d_a, host.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, host.data(), 4 * N, cudaMemcpyHostToDevice));
  float *addresses[2] = {d_a, d_b};
  CHECK(cudaMemcpy(d_table, addresses, sizeof(addresses), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_out, 0, 4 * N));
  for (int i = 0; i < 3; ++i)
    add<<<N / 256, 256>>>(d_table, d_out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(result));
  for (void *p : {(void *)d_a, (void *)d_b, (void *)d_out, (void *)d_table})
    CHECK(cudaFree(p));
}
