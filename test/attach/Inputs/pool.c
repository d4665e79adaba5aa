// An allocator that keeps what it got, built to lie where CuPy's lies.
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

CUdeviceptr segment(size_t bytes) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, bytes);
  return memory;
}
