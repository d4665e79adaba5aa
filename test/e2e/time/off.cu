// With a budget of nothing, nothing is timed on the device.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: gpu_time=sampled:budget=0:audit=off:verbose=1
// EXPECT-CLEAN
// EXPECT-SITE: line=@launch calls=40 device-method= device-samples=0 device-operations=0
// EXPECT-NO-REPORT: KERNELS*
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
