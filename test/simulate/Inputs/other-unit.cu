// The second unit of separate.cu.
// SPDX-License-Identifier: Apache-2.0
#include "shared-unit.h"
__device__ int value = 7;
__device__ __noinline__ int twice(int x) { return 2 * x; }
__global__ void other(int *out) { out[threadIdx.x] = swapped<int>(threadIdx.x) + value; }
void launchOther(int *out) { other<<<1, 32>>>(out); }
