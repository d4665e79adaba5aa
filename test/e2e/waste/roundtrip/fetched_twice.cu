// The field comes back for a check, and once more for the file, to where it is already.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: roundtrip line=@again related=@first count=1
// EXPECT-REPORT[!twin]: *the host got the same bytes at*
// EXPECT-REPORT[!twin]: *the host has the bytes that it got at*
// EXPECT-NO: roundtrip line=@first
// EXPECT-NO[twin]: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void sumAt(unsigned i, const float *x, float *y) { y[i] += x[i]; }
__global__ void sum(const float *x, float *y) { sumAt(globalThread(), x, y); }
SIMULATED(sum, sumAt)

int main() {
  std::vector<float> field = noise(N);
  float *x, *y;
  CHECK(cudaMalloc(&x, 4 * N));
  CHECK(cudaMalloc(&y, 4 * N));
  CHECK(cudaMemset(y, 0, 4 * N));
  CHECK(cudaMemcpy(x, field.data(), 4 * N, cudaMemcpyHostToDevice));
  for (float &one : field)
    one = 0;
  sum<<<N / 256, 256>>>(x, y);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(field.data(), x, 4 * N, cudaMemcpyDeviceToHost)); // @first
  printf("%08x\n", checksum(field));
#ifndef FIXED
  CHECK(cudaMemcpy(field.data(), x, 4 * N, cudaMemcpyDeviceToHost)); // @again
#endif
  printf("%08x\n", checksum(field));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
}
