// Trap: a field comes to the host, one cell is changed there, and it goes back.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: roundtrip
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 20;

__host__ __device__ inline void decayAt(unsigned i, float *field) { field[i] *= 0.9375f; }
__global__ void decay(float *field) { decayAt(globalThread(), field); }
SIMULATED(decay, decayAt)

int main() {
  std::vector<float> field = noise(N);
  float *d_field;
  CHECK(cudaMalloc(&d_field, N * 4));
  CHECK(cudaMemcpy(d_field, field.data(), N * 4, cudaMemcpyHostToDevice));
  for (int step = 0; step < 8; ++step) {
    decay<<<N / 256, 256>>>(d_field);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(field.data(), d_field, N * 4, cudaMemcpyDeviceToHost));
    field[777777 + step] += 1;
    CHECK(cudaMemcpy(d_field, field.data(), N * 4, cudaMemcpyHostToDevice));
  }
  CHECK(cudaMemset(d_field, 0, 4));
  CHECK(cudaMemcpy(field.data(), d_field, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(field));
  CHECK(cudaFree(d_field));
}
