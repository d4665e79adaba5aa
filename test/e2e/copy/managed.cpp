// A set that runs past managed memory.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: out-of-bounds-copy proven variable=grid function=main line=@set count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  double *grid;
  const size_t n = 1000;
  CHECK(cudaMallocManaged(&grid, n * sizeof(double)));
#ifdef FIXED
  CHECK(cudaMemset(grid, 0, n * sizeof(double)));
#else
  cudaError_t status = cudaMemset(grid, 0, (n + 1) * sizeof(double)); // @set
  if (status != cudaSuccess)
    cudaGetLastError(); // clear it
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(grid));
  puts("done");
}
