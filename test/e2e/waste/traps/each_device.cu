// Trap: each of several devices gets the same table, once, in a buffer that is made for it and freed
// behind it. What one device held serves no other.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ENV: GPUINSTR_SIM=devices=6
// OPTIONS: audit=full:verbose=1
// EXPECT-CLEAN
// EXPECT-NO: reupload
// EXPECT-NO: alloc-churn
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void scaleAt(unsigned i, const float *table, float *scaled) {
  scaled[i] = table[i] * 2;
}
__global__ void scale(const float *table, float *scaled) { scaleAt(globalThread(), table, scaled); }
SIMULATED(scale, scaleAt)

int main() {
  std::vector<float> table = noise(N), scaled(N);
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; ++device) {
    float *d_table, *d_scaled;
    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&d_table, N * 4));
    CHECK(cudaMalloc(&d_scaled, N * 4));
    CHECK(cudaMemcpy(d_table, table.data(), N * 4, cudaMemcpyHostToDevice));
    scale<<<N / 256, 256>>>(d_table, d_scaled);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(scaled.data(), d_scaled, N * 4, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(scaled));
    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_scaled));
  }
}
