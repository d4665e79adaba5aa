// Result buffers are uploaded before the kernels that write them: one downloads its sums, one hands
// them to the next kernel.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy likely function=main line=@sums variable=d_sums related=@reduce count=1 bytes=16KiB
// EXPECT: dead-copy likely function=main line=@half variable=d_half related=@halve count=1 bytes=1MiB
// EXPECT: dead-copy advice function=main line=@ends variable=d_ends related=@inner count=1 bytes=1MiB
// EXPECT-REPORT: dead-copy*d_sums*overwritten_by_kernel.cu:{@sums}*main
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Rows = 4096;

__host__ __device__ inline void reduceAt(unsigned i, const float *x, float *sums) {
  if (i >= Rows)
    return;
  sums[i] = 1;
  for (int k = 0; k < N / Rows; ++k)
    sums[i] += x[k * Rows + i];
}
__global__ void reduce(const float *x, float *sums) { reduceAt(globalThread(), x, sums); }
SIMULATED(reduce, reduceAt)

__host__ __device__ inline void halveAt(unsigned i, const float *x, float *half) {
  if (i < N)
    half[i] = 2 + x[i] / 2;
}
__global__ void halve(const float *x, float *half) { halveAt(globalThread(), x, half); }
SIMULATED(halve, halveAt)

__host__ __device__ inline void innerAt(unsigned i, const float *half, float *ends) {
  if (i > 0 && i < N - 1)
    ends[i] = half[i - 1] + half[i + 1];
}
__global__ void inner(const float *half, float *ends) { innerAt(globalThread(), half, ends); }
SIMULATED(inner, innerAt)

int main() {
  std::vector<float> x = noise(N), sums = noise(Rows, 2), half = noise(N, 3), ends = noise(N, 4);
  float *d_x, *d_sums, *d_half, *d_ends;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_sums, 4 * Rows));
  CHECK(cudaMalloc(&d_half, 4 * N));
  CHECK(cudaMalloc(&d_ends, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
#ifdef FIXED
  CHECK(cudaMemcpy(d_ends, ends.data(), 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_ends + N - 1, &ends[N - 1], 4, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMemcpy(d_sums, sums.data(), 4 * Rows, cudaMemcpyHostToDevice)); // @sums
  CHECK(cudaMemcpy(d_half, half.data(), 4 * N, cudaMemcpyHostToDevice));    // @half
  CHECK(cudaMemcpy(d_ends, ends.data(), 4 * N, cudaMemcpyHostToDevice));    // @ends
#endif
  reduce<<<Rows / 256, 256>>>(d_x, d_sums); // @reduce
  halve<<<N / 256, 256>>>(d_x, d_half);     // @halve
  inner<<<N / 256, 256>>>(d_half, d_ends);  // @inner
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, 4 * Rows, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ends.data(), d_ends, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x %08x\n", checksum(sums), checksum(ends));
  for (float *d : {d_x, d_sums, d_half, d_ends})
    CHECK(cudaFree(d));
}
