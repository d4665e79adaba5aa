// A kernel's fault: from then on every call fails by it. The first that nobody asked about tells of it,
// the others would say the same; after a reset there may be a new one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT[simulator]: ignored-error proven function=fault line=@first count=2 error=cudaErrorIllegalAddress
// Some hosts give no process a second context after a fault; that is told once as well.
// EXPECT[gpu]: ignored-error proven function=fault line=@first error=cudaErrorIllegalAddress
// EXPECT-NO: failed-launch
// EXPECT-NO: ignored-error line=@later
// EXPECT-NO: ignored-error line=@free
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scatter(float *data, const float *far) {
  data[threadIdx.x] = far[(1ll << 40) + threadIdx.x];
}

static void fault() {
  float *d_data, *d_far, data[64];
  cudaMalloc(&d_data, 4096);
  cudaMalloc(&d_far, 4096);
  scatter<<<1, 64>>>(d_data, d_far);
  cudaDeviceSynchronize(); // @first
  for (int i = 0; i < 5; ++i) {
    scatter<<<1, 64>>>(d_data, d_far);
    cudaMemcpy(data, d_data, sizeof(data), cudaMemcpyDeviceToHost); // @later
  }
  cudaFree(d_data); // @free
  cudaFree(d_far);
}

int main() {
  for (int round = 0; round < 2; ++round) {
    fault();
    if (cudaDeviceReset() != cudaSuccess)
      return 1;
  }
  return 0;
}
