// The simulated device says which kernels get an address of the host's own memory, once for each.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// ENV: GPUINSTR_SIM=host=told
// ONLY: simulator
// EXPECT-STDERR: kernel _Z6onHostPiS_i gets an address of the host's own memory as argument 1
// EXPECT-NO-STDERR: onDevice
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__device__ int variable;
__global__ void onHost(int *to, int *also, int on) {
  if (on)
    *to = *also;
}
__global__ void onDevice(int *to, int *also, int on) {
  if (on)
    *to = *also;
}

int main(int argc, char **) {
  int host = 0, *d_value, *d_variable;
  CHECK(cudaMalloc(&d_value, sizeof(int)));
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&d_variable), variable));
  for (int round = 0; round < 3; ++round) {
    onHost<<<1, 1>>>(&host, d_value, argc - 1);
    onDevice<<<1, 1>>>(d_value, d_variable, argc - 1);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_value));
}
