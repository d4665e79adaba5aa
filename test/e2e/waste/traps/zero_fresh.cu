// Allocate, set to zero, use, free: the device hands out the same memory, which may still be zero.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void anyAt(unsigned i, const int *bins, int *any) {
  if (bins[i] != 0)
    *any = 1;
}
__global__ void findSet(const int *bins, int *any) { anyAt(globalThread(), bins, any); }
SIMULATED(findSet, anyAt)

static int used() {
  int *d_bins, *d_any, result;
  CHECK(cudaMalloc(&d_bins, 4 * N));
  CHECK(cudaMalloc(&d_any, 4));
  CHECK(cudaMemset(d_bins, 0, 4 * N));
  CHECK(cudaMemset(d_any, 0, 4));
  findSet<<<N / 256, 256>>>(d_bins, d_any);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, d_any, 4, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_bins));
  CHECK(cudaFree(d_any));
  return result;
}

int main() {
  int sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += used();
  printf("%d\n", sum);
}
