// One line launches on two devices in turn: each device has a share of its own. What goes to a
// stream of the device that is not current is not timed, and the report says so.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// BUILD: clang-O2
// ENV: GPUINSTR_SIM=devices=2
// OPTIONS: gpu_time=sampled:audit=off:budget=100
// EXPECT-CLEAN
// EXPECT-SITE: line=@launch calls=80 device-method=sampled device-operations=80
// EXPECT-SITE: line=@download calls=20 device-method=sampled device-operations=20
// EXPECT-REPORT: GPU 0  *
// EXPECT-REPORT: GPU 1  *
// EXPECT-SITE: line=@foreign calls=3 device-method= device-samples=0
// EXPECT-REPORT: *not timed: 3 copies at two_devices.cu:{@foreign}
// EXPECT-NO-REPORT: *<=*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

int main() {
  constexpr int N = 1 << 14;
  int *h_x, *d_x[2];
  CHECK(cudaMallocHost(&h_x, N * sizeof(int)));
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&d_x[device], N * sizeof(int)));
    CHECK(cudaMemset(d_x[device], 0, N * sizeof(int)));
  }
  for (int step = 0; step < 20; ++step) {
    for (int device = 0; device < 2; ++device) {
      CHECK(cudaSetDevice(device));
      for (int i = 0; i < 1 + 2 * device; ++i)
        add<<<N / 256, 256>>>(d_x[device], i); // @launch
      CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(h_x, d_x[1], N * sizeof(int), cudaMemcpyDeviceToHost)); // @download
  }
  cudaStream_t foreign;
  CHECK(cudaStreamCreate(&foreign)); // of device 1
  CHECK(cudaSetDevice(0));
  for (int i = 0; i < 3; ++i) // device 0's events cannot go there
    CHECK(cudaMemcpyAsync(h_x, d_x[1], 64, cudaMemcpyDeviceToHost, foreign)); // @foreign
  CHECK(cudaStreamSynchronize(foreign));
  CHECK(cudaStreamDestroy(foreign));
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_x[device]));
  }
  CHECK(cudaFreeHost(h_x));
}
