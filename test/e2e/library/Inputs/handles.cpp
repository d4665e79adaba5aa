// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

extern "C" int foreignDestroy(cudaStream_t stream, cudaEvent_t event) {
  return cudaStreamDestroy(stream) != 0 || cudaEventDestroy(event) != 0;
}
