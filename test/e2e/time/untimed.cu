// Launches that no events may go around are named: they are neither idle time nor in the shares.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: gpu_time=sampled:audit=off:budget=100:verbose=1
// EXPECT-CLEAN
// EXPECT-SITE: line=@plain calls=20 device-method=sampled
// EXPECT-SITE: line=@dependent calls=30 device-method= device-samples=0
// EXPECT-REPORT: *not timed: 30 launches at untimed.cu:{@dependent}
// EXPECT-REPORT: *not timed, in no share: 30 launches at untimed.cu:{@dependent}
// EXPECT-NO-REPORT: *| idle ~*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void add(int *x, int y) { x[threadIdx.x] += y; }

int main() {
  int *d_x;
  CHECK(cudaMalloc(&d_x, 256 * sizeof(int)));
  for (int i = 0; i < 20; ++i)
    add<<<1, 256>>>(d_x, i); // @plain
  CHECK(cudaDeviceSynchronize());
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 256;
  config.attrs = &attribute;
  config.numAttrs = 1;
  for (int i = 0; i < 30; ++i)
    CHECK(cudaLaunchKernelEx(&config, add, d_x, i)); // @dependent
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
}
