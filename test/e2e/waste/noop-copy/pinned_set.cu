// A mask in pinned memory is cleared before each batch, though no kernel writes it and the host only
// reads it. A second one gets marks of the host's right behind that, the same ones each time, a third one of the
// kernel's.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@mask count>=5
// EXPECT-ALL
// EXPECT-NO: noop-copy proven
// EXPECT-NO: noop-copy line=@marked
// EXPECT-NO: noop-copy line=@counted
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void countAt(unsigned i, int *counts) { counts[i] += int(i % 7) + 1; }
__global__ void count(int *counts) { countAt(globalThread(), counts); }
SIMULATED(count, countAt)

int main() {
  int *mask, *marks, *counts, seen = 0;
  CHECK(cudaMallocHost(&mask, 4 * N));
  CHECK(cudaMallocHost(&marks, 4 * N));
  CHECK(cudaMallocHost(&counts, 4 * N));
  for (int batch = 0; batch < 8; ++batch) {
#ifdef FIXED
    if (batch == 0)
#endif
      CHECK(cudaMemset(mask, 0, 4 * N)); // @mask
    CHECK(cudaMemset(marks, 0, 4 * N)); // @marked
    marks[7] = 1;
    CHECK(cudaMemset(counts, 0, 4 * N)); // @counted
    count<<<N / 256, 256>>>(counts);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    seen += mask[batch] + marks[batch] + counts[batch];
  }
  printf("%d\n", seen);
  CHECK(cudaFreeHost(mask));
  CHECK(cudaFreeHost(marks));
  CHECK(cudaFreeHost(counts));
}
