// Trap: each launch writes another part of what was uploaded, and all of it is read in between, by
// kernels or copies: in the end nothing is as it was, and everything was needed.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Parts = 4, Part = 1 << 14, N = Parts * Part;

__host__ __device__ inline void partAt(unsigned i, float *y, int part) {
  if (i < Part)
    y[part * Part + i] = float(i) + 2;
}
__global__ void writePart(float *y, int part) { partAt(globalThread(), y, part); }
SIMULATED(writePart, partAt)

__host__ __device__ inline void fillAt(unsigned i, float *y) {
  if (i < N)
    y[i] = float(i) + 2;
}
__global__ void fill(float *y) { fillAt(globalThread(), y); }
SIMULATED(fill, fillAt)

__host__ __device__ inline void addAt(unsigned i, const float *y, float *sums) {
  if (i < N)
    sums[i] += y[i];
}
__global__ void add(const float *y, float *sums) { addAt(globalThread(), y, sums); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> start = noise(N), back(N);
  float *d_sums, *d_y[4], *pinned;
  CHECK(cudaMallocHost(&pinned, 4 * N));
  CHECK(cudaMalloc(&d_sums, 4 * N));
  CHECK(cudaMemset(d_sums, 0, 4 * N));
  for (int i = 0; i < 4; ++i) {
    start[0] = float(i);
    CHECK(cudaMalloc(&d_y[i], 4 * N));
    CHECK(cudaMemcpy(d_y[i], start.data(), 4 * N, cudaMemcpyHostToDevice));
  }
  for (int i = 0; i < 4 * Parts; ++i) {
    writePart<<<Part / 256, 256>>>(d_y[0], i % Parts); // another argument each time
    add<<<N / 256, 256>>>(d_y[0], d_sums);
    fill<<<(1 + i % Parts) * Part / 256, 256>>>(d_y[1]); // another grid
    add<<<N / 256, 256>>>(d_y[1], d_sums);
    writePart<<<Part / 256, 256>>>(d_y[2], i % Parts); // read by a copy
    if (i % Parts == 0)
      CHECK(cudaMemcpyAsync(pinned, d_y[2], 4 * N, cudaMemcpyDeviceToHost));
    writePart<<<Part / 256, 256>>>(d_y[3] + i % Parts * Part, 0); // another address
    add<<<N / 256, 256>>>(d_y[3], d_sums);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(back.data(), d_sums, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(back));
  for (float *d : {d_sums, d_y[0], d_y[1], d_y[2], d_y[3]})
    CHECK(cudaFree(d));
  CHECK(cudaFreeHost(pinned));
}
