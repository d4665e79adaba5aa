// Trap: seven in a row, directions that alternate, kernels between, and rows above 64 KiB.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: small-copies
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 15; // 128 KiB

__host__ __device__ inline void doubleAt(unsigned i, float *x) { x[i] *= 2; }
__global__ void doubled(float *x) { doubleAt(globalThread(), x); }
SIMULATED(doubled, doubleAt)

int main() {
  std::vector<float> x = noise(12 * N), y(64);
  float *d_x;
  CHECK(cudaMalloc(&d_x, 12 * 4 * N));
  for (int i = 0; i < 12; ++i) // large ones
    CHECK(cudaMemcpy(d_x + i * N, &x[i * N], 4 * N, cudaMemcpyHostToDevice));
  doubled<<<12 * N / 256, 256>>>(d_x);
  for (int i = 0; i < 7; ++i)
    CHECK(cudaMemcpy(d_x + i * 256, &x[i * 999], 1024, cudaMemcpyHostToDevice));
  for (int i = 0; i < 16; ++i) { // there and back
    CHECK(cudaMemcpy(&y[2 * i], d_x + i, 4, cudaMemcpyDeviceToHost));
    y[2 * i] += 1;
    CHECK(cudaMemcpy(d_x + i, &y[2 * i], 4, cudaMemcpyHostToDevice));
  }
  for (int i = 0; i < 16; ++i) {
    doubled<<<1, 256>>>(d_x);
    CHECK(cudaMemcpy(&y[i], d_x + i, 4, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x.data(), d_x, 12 * 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x %08x\n", checksum(x), checksum(y));
  CHECK(cudaFree(d_x));
}
