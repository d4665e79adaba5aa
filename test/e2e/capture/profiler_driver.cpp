// capture=cudaProfilerApi, steered by the driver's own cuProfilerStart and Stop.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS: capture=cudaProfilerApi
// EXPECT-NO-SITE: line=@before calls>=1
// EXPECT-SITE: line=@inside calls=3
// EXPECT-SITE: line=@driver calls=2
// EXPECT-NO-SITE: line=@after calls>=1
// EXPECT-SITE: line=@mixed calls=1
// EXPECT-NO-SITE: line=@end calls>=1
// EXPECT: leak proven variable=d_early line=@early count=1
// EXPECT-NO: leak variable=d_late
#include "../Inputs/check.h"

#include <cudaProfiler.h>

static void check(CUresult result) {
  if (result != CUDA_SUCCESS) {
    printf("driver error %d\n", result);
    exit(1);
  }
}

int main() {
  void *d_early;
  CUdeviceptr d_late;
  CHECK(cudaMalloc(&d_early, 512)); // @early
  check(cuMemAlloc(&d_late, 512));
  for (int i = 0; i < 5; ++i)
    CHECK(cudaMemset(d_early, i, 512)); // @before
  check(cuProfilerStart());
  for (int i = 0; i < 3; ++i)
    CHECK(cudaMemset(d_early, i, 512)); // @inside
  for (int i = 0; i < 2; ++i)
    check(cuMemsetD8(d_late, (unsigned char)i, 512)); // @driver
  check(cuProfilerStop());
  for (int i = 0; i < 4; ++i)
    check(cuMemsetD8(d_late, (unsigned char)i, 512)); // @after
  check(cuProfilerStart());
  check(cuProfilerStart()); // they do not nest
  CHECK(cudaMemset(d_early, 1, 512)); // @mixed
  check(cuProfilerStop());
  CHECK(cudaMemset(d_early, 2, 512)); // @end
  check(cuMemFree(d_late));
  puts("done");
}
