// A pool hands out the same address again and again: what is set there is new memory each time.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void countAt(unsigned i, const int *hits, int *total) {
  if (hits[i])
    total[0] += 1;
}
__global__ void count(const int *hits, int *total) { countAt(globalThread(), hits, total); }
SIMULATED(count, countAt)

int main() {
  cudaStream_t stream;
  cudaMemPool_t pool;
  int *d_total, total = 1;
  uint64_t keep = UINT64_MAX;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  CHECK(cudaMalloc(&d_total, 4));
  CHECK(cudaMemsetAsync(d_total, 0, 4, stream));
  for (int i = 0; i < 10; ++i) {
    int *d_hits;
    CHECK(cudaMallocAsync(&d_hits, 4 * N, stream));
    CHECK(cudaMemsetAsync(d_hits, 0, 4 * N, stream));
    count<<<N / 256, 256, 0, stream>>>(d_hits, d_total);
    CHECK(cudaGetLastError());
    CHECK(cudaFreeAsync(d_hits, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&total, d_total, 4, cudaMemcpyDeviceToHost));
  printf("%d hits\n", total);
  CHECK(cudaFree(d_total));
  CHECK(cudaStreamDestroy(stream));
}
