// Without capture=, cudaProfilerStop changes nothing.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-SITE: line=@before calls=5
// EXPECT-SITE: line=@after calls=4
#include "../Inputs/check.h"

#include <cuda_profiler_api.h>

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  for (int i = 0; i < 5; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @before
  CHECK(cudaProfilerStart());
  CHECK(cudaProfilerStop());
  for (int i = 0; i < 4; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @after
  CHECK(cudaFree(d_field));
  puts("done");
}
