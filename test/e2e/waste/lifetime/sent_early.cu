// What only the second stage reads is allocated and sent before the first one: its memory is held for nothing.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: lifetime advice function=main line=@late variable=d_late related=@second count=1 bytes=8MiB
// EXPECT-NO: lifetime variable=d_first
// EXPECT-NO[twin]: lifetime
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 2 << 20;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 1.5f * x[i] + 0.25f; }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> first = noise(N), late = noise(N, 7);
  float *d_first, *d_late;
  CHECK(cudaMalloc(&d_first, 4 * N));
  CHECK(cudaMemcpy(d_first, first.data(), 4 * N, cudaMemcpyHostToDevice));
#ifndef FIXED
  CHECK(cudaMalloc(&d_late, 4 * N)); // @late
  CHECK(cudaMemcpy(d_late, late.data(), 4 * N, cudaMemcpyHostToDevice));
#endif
  step<<<N / 256, 256>>>(d_first);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(first.data(), d_first, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_first));
#ifdef FIXED
  CHECK(cudaMalloc(&d_late, 4 * N));
  CHECK(cudaMemcpy(d_late, late.data(), 4 * N, cudaMemcpyHostToDevice));
#endif
  step<<<N / 256, 256>>>(d_late); // @second
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(late.data(), d_late, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_late));
  printf("%08x %08x\n", checksum(first), checksum(late));
}
