// Where the device waits for the host: a sentence that names both ends. The twin does its own work
// before it waits for the device's.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT-CLEAN
// EXPECT-CLEAN[twin]
// EXPECT-REPORT: IDLE     at least *your code between idle.cu:{@sync} and*
// EXPECT-NO-REPORT[twin]: *your code between*
#include "../Inputs/check.h"
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void add(int *x, int y) { x[threadIdx.x] += y; }

int main() {
  int *d_data, data[64] = {};
  CHECK(cudaMalloc(&d_data, sizeof data));
  for (int i = 0; i < 30; ++i) {
    data[i] = i;
    CHECK(cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice)); // @upload
    add<<<1, 64>>>(d_data, i);
#ifdef FIXED
    usleep(3000);
#endif
    CHECK(cudaDeviceSynchronize()); // @sync
#ifndef FIXED
    usleep(3000);
#endif
  }
  CHECK(cudaFree(d_data));
}
