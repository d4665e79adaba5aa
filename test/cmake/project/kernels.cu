// The CUDA part: leaks d_scratch.
// SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

__global__ void fill(float *data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = 1;
}

void compute() {
  float *d_scratch;
  (void)!cudaMalloc(&d_scratch, 4096);
  fill<<<1, 32>>>(d_scratch, 1024);
}
