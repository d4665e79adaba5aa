// Trap: what was written is read by a kernel, a copy, or partly kept; a kernel overwrites half of it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void iotaAt(unsigned i, float *x) {
  if (i < N / 2)
    x[i] = float(i);
}
__global__ void iota(float *x) { iotaAt(globalThread(), x); }
SIMULATED(iota, iotaAt)

int main() {
  std::vector<float> a = noise(N), b = noise(N, 2), back(N);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, 4 * N));
  CHECK(cudaMalloc(&d_b, 4 * N));
  CHECK(cudaMalloc(&d_c, 4 * N));
  // Cleared, then filled but for its last element.
  CHECK(cudaMemset(d_a, 0, 4 * N));
  CHECK(cudaMemcpy(d_a, a.data(), 4 * N - 4, cudaMemcpyHostToDevice));
  // Copied on within the device, then overwritten.
  CHECK(cudaMemcpy(d_b, b.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(d_c, d_b, 4 * N, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(d_b, a.data(), 4 * N, cudaMemcpyHostToDevice));
  for (float *d : {d_a, d_b, d_c}) {
    CHECK(cudaMemcpy(back.data(), d, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(back));
  }
  // Half of it overwritten by a kernel.
  CHECK(cudaMemset(d_c, 1, 4 * N));
  iota<<<N / 256, 256>>>(d_c);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(back.data(), d_c, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(back));
  for (float *d : {d_a, d_b, d_c})
    CHECK(cudaFree(d));
}
