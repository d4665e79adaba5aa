// A histogram is fetched into pageable memory in a stream of its own, behind kernels that may wait
// for memory: such a call returns when the bytes are there, so the host's bytes before and after it
// tell. A second one is fetched as often, but the program sorts it each time.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@fetch count=7 bytes=3584KiB
// EXPECT-ALL
// EXPECT-NO[both]: noop-copy line=@sorted
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <algorithm>

constexpr int N = 1 << 17;

__host__ __device__ inline void countAt(unsigned i, const int *parent, int *counts) {
  int at = i;
  while (parent[at] != at) // may wait, for all that its code says
    at = parent[at];
  counts[i] = at;
}
__global__ void count(const int *parent, int *counts) { countAt(globalThread(), parent, counts); }
SIMULATED(count, countAt)

int main() {
  std::vector<int> counts(N), sorted(N), parent(N);
  for (int i = 0; i < N; ++i)
    parent[i] = i & ~7, sorted[i] = -i;
  int *d_parent, *d_counts, *d_keys, *d_other;
  cudaStream_t stream, side;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaMalloc(&d_parent, N * 4));
  CHECK(cudaMalloc(&d_counts, N * 4));
  CHECK(cudaMalloc(&d_keys, N * 4));
  CHECK(cudaMalloc(&d_other, N * 4));
  CHECK(cudaMemcpy(d_parent, parent.data(), N * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_keys, sorted.data(), N * 4, cudaMemcpyHostToDevice));
  count<<<N / 256, 256, 0, stream>>>(d_parent, d_counts);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 8; ++i) {
    count<<<N / 256, 256, 0, side>>>(d_parent, d_other);
    CHECK(cudaGetLastError());
#ifdef FIXED
    if (i == 0)
#endif
      CHECK(cudaMemcpyAsync(counts.data(), d_counts, N * 4, cudaMemcpyDeviceToHost, stream)); // @fetch
    CHECK(cudaMemcpyAsync(sorted.data(), d_keys, N * 4, cudaMemcpyDeviceToHost, stream)); // @sorted
    std::sort(sorted.begin(), sorted.end());
    printf("%d: %d\n", i, sorted[i]);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_parent));
  CHECK(cudaFree(d_counts));
  CHECK(cudaFree(d_keys));
  CHECK(cudaFree(d_other));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(side));
}
