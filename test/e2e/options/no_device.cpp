// No device is visible: the program sees its own error, the report says what it saw.
// SPDX-License-Identifier: Apache-2.0
// ENV: CUDA_VISIBLE_DEVICES=
// ENV: GPUINSTR_SIM=devices=0:kernels=skip
// EXPECT-CLEAN
// EXPECT-NO: out-of-memory
// EXPECT-STDOUT: cudaErrorNoDevice
// EXPECT-SITE: line=@alloc calls=1 failed=1
#include "../Inputs/check.h"

int main() {
  void *d_data = nullptr;
  cudaError_t status = cudaMalloc(&d_data, 1024); // @alloc
  puts(cudaGetErrorName(status));
}
