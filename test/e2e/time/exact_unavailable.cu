// Without CUPTI, exact times become sampled ones, and one line says why.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// RAW-OPTIONS: json=%t/profile.json:report=%t/report.txt:gpu_time=exact:cupti=/nowhere/libcupti.so
// EXPECT-CLEAN
// clang-format off: one directive a line
// EXPECT-STDERR[simulator]: gpuinstr: gpu_time=exact: the simulated device has no CUPTI: device time is sampled
// EXPECT-STDERR[gpu]: gpuinstr: gpu_time=exact: no CUPTI at /nowhere/libcupti.so: device time is sampled
// EXPECT-NOTE: gpu_time=exact: *: device time is sampled
// EXPECT-SITE: line=@launch calls=40 device-method=sampled device-operations=40
// clang-format on
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void touch(int *x) { *x += 1; }

int main() {
  int *d_x;
  CHECK(cudaMalloc(&d_x, sizeof(int)));
  for (int i = 0; i < 40; ++i)
    touch<<<1, 1>>>(d_x); // @launch
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
}
