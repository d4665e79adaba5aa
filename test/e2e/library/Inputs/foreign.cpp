// A library that was built without gpuinstr.
// SPDX-License-Identifier: Apache-2.0
#include "foreign.h"

#include <cuda_runtime_api.h>

void *foreignAllocate(std::size_t bytes) {
  void *block = nullptr;
  return cudaMalloc(&block, bytes) == cudaSuccess ? block : nullptr;
}

int foreignRelease(void *block) { return cudaFree(block); }

int foreignFill(void *block, std::size_t bytes) { return cudaMemset(block, 1, bytes); }
