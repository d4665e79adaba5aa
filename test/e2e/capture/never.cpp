// capture=cudaProfilerApi in a program that never starts the profiler: the report says so.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: capture=cudaProfilerApi
// EXPECT-CLEAN
// EXPECT-NO-SITE: line=@set calls>=1
// EXPECT-NOTE: capture=cudaProfilerApi: cudaProfilerStart was not called, nothing was recorded
// EXPECT-REPORT: *cudaProfilerStart was not called, nothing was recorded
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  void *d_data;
  CHECK(cudaMalloc(&d_data, 512));
  CHECK(cudaMemset(d_data, 1, 512)); // @set
  CHECK(cudaFree(d_data));
  puts("done");
}
