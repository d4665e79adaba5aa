// capture=cudaProfilerApi: counted between cudaProfilerStart and Stop alone, leaks everywhere.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: capture=cudaProfilerApi
// EXPECT-NO-SITE: line=@before calls>=1
// EXPECT-SITE: line=@inside calls=3
// EXPECT-NO-SITE: line=@after calls>=1
// EXPECT-SITE: line=@again calls=2
// EXPECT: leak proven variable=d_early line=@early count=1
// EXPECT-NO: double-free
// EXPECT-NO: invalid-free
#include "../Inputs/check.h"

#include <cuda_profiler_api.h>

int main() {
  void *d_early, *d_late;
  CHECK(cudaMalloc(&d_early, 512)); // @early
  CHECK(cudaMalloc(&d_late, 512));
  for (int i = 0; i < 5; ++i)
    CHECK(cudaMemset(d_early, i, 512)); // @before
  CHECK(cudaProfilerStart());
  for (int i = 0; i < 3; ++i)
    CHECK(cudaMemset(d_early, i, 512)); // @inside
  CHECK(cudaProfilerStop());
  for (int i = 0; i < 4; ++i)
    CHECK(cudaMemset(d_early, i, 512)); // @after
  CHECK(cudaProfilerStart());
  for (int i = 0; i < 2; ++i)
    CHECK(cudaMemset(d_early, i, 512)); // @again
  CHECK(cudaProfilerStop());
  CHECK(cudaFree(d_late));
  puts("done");
}
