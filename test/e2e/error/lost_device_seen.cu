// A kernel's fault: calls fail by it whose results nobody looks at. Where the program looks at a later one that says
// the same, it knows.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// EXPECT: ignored-error proven line=@first error=cudaErrorIllegalAddress
// EXPECT-NO[twin]: ignored-error
// EXPECT-STDOUT: lost*
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scatter(float *data, const float *far) {
  data[threadIdx.x] = far[(1ll << 40) + threadIdx.x];
}

int main() {
  float *d_data, *d_far, data[64];
  if (cudaMalloc(&d_data, 4096) || cudaMalloc(&d_far, 4096))
    return 1;
  scatter<<<1, 64>>>(d_data, d_far);
  cudaMemcpy(data, d_data, sizeof(data), cudaMemcpyDeviceToHost); // @first
  cudaFree(d_far);
  cudaFree(d_data);
#ifdef FIXED
  if (cudaDeviceSynchronize() == cudaSuccess)
    return 2;
#endif
  printf("lost\n");
  return 0;
}
