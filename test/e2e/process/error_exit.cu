// A program that answers an error by exit(1) has no leaks for that, nor memory that it did not use.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-EXIT: 1
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-NO: lifetime
// EXPECT-PROCESS: ended=error
// EXPECT-REPORT: RESULT*nothing found up to there*
// EXPECT-REPORT: *ended by exit() behind a failed call*
#include "../Inputs/data.h"
#include "../Inputs/kernel.h"

#include <stdlib.h>

constexpr int N = 1 << 16;

__host__ __device__ inline void scaleAt(unsigned i, float *x) { x[i] *= 2; }
__global__ void scale(float *x) { scaleAt(globalThread(), x); }
SIMULATED(scale, scaleAt)

__host__ __device__ inline void addAt(unsigned i, const float *x, const float *y, float *z) {
  z[i] = x[i] + y[i];
}
__global__ void add(const float *x, const float *y, float *z) { addAt(globalThread(), x, y, z); }
SIMULATED(add, addAt)

void checked(cudaError_t error) {
  if (error != cudaSuccess)
    exit(1);
}

int main() {
  std::vector<float> h = noise(N);
  float *x, *y, *z;
  checked(cudaMalloc(&x, 4 * N));
  checked(cudaMalloc(&y, 4 * N));
  checked(cudaMalloc(&z, 4 * N));
  checked(cudaMemcpy(x, h.data(), 4 * N, cudaMemcpyHostToDevice));
  checked(cudaMemcpy(y, h.data(), 4 * N, cudaMemcpyHostToDevice));
  scale<<<N / 256, 2048>>>(x); // too many threads
  checked(cudaGetLastError());
  add<<<N / 256, 256>>>(x, y, z);
  checked(cudaMemcpy(h.data(), z, 4 * N, cudaMemcpyDeviceToHost));
  for (float *d : {x, y, z})
    checked(cudaFree(d));
}
