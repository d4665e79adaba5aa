// Exact times: CUPTI tells how long code was compiled and loaded, and what it cost itself.
// SPDX-License-Identifier: Apache-2.0
// ONLY: gpu
// OPTIONS: gpu_time=exact:audit=off:verbose=1
// EXPECT-CLEAN
// EXPECT-STARTUP: method=cupti context_ns>=1000000 line=@first kernels=2
// EXPECT-REPORT: START-UP  context *, first call at once_exact.cu:{@first}
// EXPECT-SITE: line=@launch calls=20 device-method=exact device-operations=20
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void add(int *x, int y) { x[threadIdx.x] += y; }
template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }

int main() {
  CHECK(cudaFree(nullptr)); // @first
  int *d_x;
  CHECK(cudaMalloc(&d_x, 64 * sizeof(int)));
  CHECK(cudaMemset(d_x, 0, 64 * sizeof(int)));
  for (int i = 0; i < 20; ++i)
    add<<<1, 64>>>(d_x, i); // @launch
  scale<<<1, 64>>>(d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
  puts("done");
}
