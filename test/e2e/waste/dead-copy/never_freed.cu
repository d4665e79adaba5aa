// Halos are cleared and weights sent for a mode that is never run; like the rest, they are not freed.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy likely function=main line=@halo variable=d_halo count=1 bytes=1MiB
// EXPECT: dead-copy likely function=main line=@weights variable=d_weights count=1 bytes=256KiB
// EXPECT-REPORT: *d_halo, and never read up to the end*
// EXPECT-NO: dead-copy line=@points
// EXPECT-NO: dead-copy line=@table
// EXPECT-NO: dead-copy line=@lengths
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__constant__ float table[64];

__host__ __device__ inline void lengthAt(unsigned i, const float *points, float *length) {
  const float *p = points + 3 * i;
  length[i] += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
}
__global__ void lengths(const float *points, float *length) {
  lengthAt(globalThread(), points, length);
}
SIMULATED(lengths, lengthAt)

int main() {
  std::vector<float> points = noise(3 * N), weights = noise(N, 5), length(N), factors = noise(64);
  float *d_points, *d_length;
  CHECK(cudaMalloc(&d_points, 12 * N));
  CHECK(cudaMalloc(&d_length, 4 * N));
  CHECK(cudaMemcpy(d_points, points.data(), 12 * N, cudaMemcpyHostToDevice)); // @points
  CHECK(cudaMemcpyToSymbol(table, factors.data(), 256)); // @table
#ifndef FIXED
  float *d_halo, *d_weights;
  CHECK(cudaMalloc(&d_halo, 1 << 20));
  CHECK(cudaMemset(d_halo, 0, 1 << 20)); // @halo
  CHECK(cudaMalloc(&d_weights, 4 * N));
  CHECK(cudaMemcpy(d_weights, weights.data(), 4 * N, cudaMemcpyHostToDevice)); // @weights
#endif
  CHECK(cudaMemset(d_length, 0, 4 * N)); // @lengths
  lengths<<<N / 256, 256>>>(d_points, d_length);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(length.data(), d_length, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x %08x\n", checksum(length), checksum(weights));
#ifdef FIXED
  CHECK(cudaFree(d_points));
  CHECK(cudaFree(d_length));
#endif
}
