// As cache_sweep.cu, in memory that each round makes and frees: that costs time, the set does not.
// Smaller memory is set for nothing, and so is large memory once.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT: alloc-churn advice line=@flush
// EXPECT: dead-copy likely line=@small count=6
// EXPECT: dead-copy likely line=@once count=1
// EXPECT-NO: dead-copy line=@sweep
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void scaleAt(unsigned i, float *values) { values[i] *= 1.5f; }
__global__ void scale(float *values) { scaleAt(globalThread(), values); }
SIMULATED(scale, scaleAt)

int main() {
  int bytes = 0;
  CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
  std::vector<float> values = noise(N);
  float *d_values;
  char *d_flush, *d_small, *d_once;
  CHECK(cudaMalloc(&d_values, N * sizeof(float)));
  CHECK(cudaMemcpy(d_values, values.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  for (int i = 0; i < 6; ++i) {
    CHECK(cudaMalloc(&d_flush, bytes)); // @flush
    CHECK(cudaMemset(d_flush, 0, bytes)); // @sweep
    CHECK(cudaFree(d_flush));
    CHECK(cudaMalloc(&d_small, bytes / 2));
    CHECK(cudaMemset(d_small, 0, bytes / 2)); // @small
    CHECK(cudaFree(d_small));
    scale<<<N / 256, 256>>>(d_values);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMalloc(&d_once, bytes));
  CHECK(cudaMemset(d_once, 0, bytes)); // @once
  CHECK(cudaFree(d_once));
  CHECK(cudaMemcpy(values.data(), d_values, N * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(values));
  CHECK(cudaFree(d_values));
}
