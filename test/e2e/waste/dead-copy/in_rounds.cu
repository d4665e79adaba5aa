// A buffer is cleared once; then each round writes all of it and reads what was written.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: dead-copy likely function=main line=@clear variable=d_sums related=@reduce count=1 bytes=16KiB
// EXPECT: dead-copy likely function=main line=@next variable=d_next related=@step count=1 bytes=1MiB
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Rows = 4096, Rounds = 20;

__host__ __device__ inline void reduceAt(unsigned i, const float *x, float *sums) {
  if (i >= Rows)
    return;
  float sum = 1;
  for (int k = 0; k < N / Rows; ++k)
    sum += x[k * Rows + i];
  sums[i] = sum;
}
__global__ void reduce(const float *x, float *sums) { reduceAt(globalThread(), x, sums); }
SIMULATED(reduce, reduceAt)

__host__ __device__ inline void totalAt(unsigned i, const float *sums, float *total) {
  if (i == 0)
    for (int k = 0; k < Rows; ++k)
      *total += sums[k];
}
__global__ void total(const float *sums, float *all) { totalAt(globalThread(), sums, all); }
SIMULATED(total, totalAt)

__host__ __device__ inline void stepAt(unsigned i, const float *from, float *to) {
  if (i < N)
    to[i] = 2 + from[i] / 2;
}
__global__ void step(const float *from, float *to) { stepAt(globalThread(), from, to); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> x = noise(N), next = noise(N, 2);
  float *d_x, *d_next, *d_sums, *d_total, all;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_next, 4 * N));
  CHECK(cudaMalloc(&d_sums, 4 * Rows));
  CHECK(cudaMalloc(&d_total, 4));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_total, 0, 4));
#ifndef FIXED
  CHECK(cudaMemset(d_sums, 0, 4 * Rows));                                   // @clear
  CHECK(cudaMemcpy(d_next, next.data(), 4 * N, cudaMemcpyHostToDevice)); // @next
#endif
  for (int i = 0; i < Rounds; ++i) {
    reduce<<<Rows / 256, 256>>>(d_x, d_sums); // @reduce
    total<<<1, 32>>>(d_sums, d_total);
    step<<<N / 256, 256>>>(d_x, d_next); // @step
    step<<<N / 256, 256>>>(d_next, d_x);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&all, d_total, 4, cudaMemcpyDeviceToHost));
  printf("%08x %d\n", checksum(x), all > 0);
  for (float *d : {d_x, d_next, d_sums, d_total})
    CHECK(cudaFree(d));
}
