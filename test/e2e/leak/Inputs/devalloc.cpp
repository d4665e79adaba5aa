// A shared library with a project's device allocator.
// SPDX-License-Identifier: Apache-2.0
#include "devalloc.h"

#include <cuda_runtime_api.h>

void *dev::allocate(std::size_t bytes) {
  void *block = nullptr;
  if (cudaMalloc(&block, bytes) != cudaSuccess) // @alloc
    return nullptr;
  return block;
}

bool dev::release(void *block) { return cudaFree(block) == cudaSuccess; }
