// Trap: kernels get the buffer and write it without reading it, and what was uploaded is still
// needed: elements that memory picks, a mask in memory, a part, an update in place; or what is
// written may have been read before.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void scatterAt(unsigned i, const int *where, float *y) {
  y[where[i]] = float(i) + 2;
}
__global__ void scatter(const int *where, float *y) { scatterAt(globalThread(), where, y); }
SIMULATED(scatter, scatterAt)

__host__ __device__ inline void maskedAt(unsigned i, const int *mask, float *y) {
  if (mask[i])
    y[i] = float(i) + 2;
}
__global__ void masked(const int *mask, float *y) { maskedAt(globalThread(), mask, y); }
SIMULATED(masked, maskedAt)

__host__ __device__ inline void lowerHalfAt(unsigned i, float *y) {
  if (i < N / 2)
    y[i] = float(i) + 2;
}
__global__ void lowerHalf(float *y) { lowerHalfAt(globalThread(), y); }
SIMULATED(lowerHalf, lowerHalfAt)

__host__ __device__ inline void addOneAt(unsigned i, float *y) { y[i] += 1; }
__global__ void addOne(float *y) { addOneAt(globalThread(), y); }
SIMULATED(addOne, addOneAt)

__host__ __device__ inline void copyAt(unsigned i, const float *x, float *y) { y[i] = x[i] + 3; }
__global__ void copy(const float *x, float *y) { copyAt(globalThread(), x, y); }
SIMULATED(copy, copyAt)

int main() {
  // All but few elements are written: those that are looked at may all be others.
  std::vector<int> where(N), mask(N, 1);
  for (int i = 0; i < N; ++i)
    where[i] = i == 777 ? 778 : i;
  mask[777] = 0;
  std::vector<float> start = noise(N), back(N);
  int *d_where, *d_mask;
  float *d_y[6];
  CHECK(cudaMalloc(&d_where, 4 * N));
  CHECK(cudaMalloc(&d_mask, 4 * N));
  CHECK(cudaMemcpy(d_where, where.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_mask, mask.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 6; ++i) {
    start[0] = float(i);
    CHECK(cudaMalloc(&d_y[i], 4 * N));
    if (i == 5) // the others' last reader writes it
      continue;
    CHECK(cudaMemcpy(d_y[i], start.data(), 4 * N, cudaMemcpyHostToDevice));
  }
  scatter<<<N / 256, 256>>>(d_where, d_y[0]);
  masked<<<N / 256, 256>>>(d_mask, d_y[1]);
  lowerHalf<<<N / 256, 256>>>(d_y[2]);
  addOne<<<N / 256, 256>>>(d_y[3]);
  copy<<<N / 256, 256>>>(d_y[4], d_y[5]); // reads one, which is overwritten then
  copy<<<N / 256, 256>>>(d_y[5], d_y[4]);
  CHECK(cudaGetLastError());
  for (int i = 0; i < 5; ++i) {
    CHECK(cudaMemcpy(back.data(), d_y[i], 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(back));
  }
  CHECK(cudaFree(d_where));
  CHECK(cudaFree(d_mask));
  for (float *d : d_y)
    CHECK(cudaFree(d));
}
