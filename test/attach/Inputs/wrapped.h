// Wrappers as cuda_runtime.h has them around its own functions, and as a program has them around
// those. SPDX-License-Identifier: Apache-2.0
#ifndef WRAPPED_H
#define WRAPPED_H

#include <cstdio>
#include <cstdlib>
#include <cuda.h>

template <class T> static inline CUresult cudaMalloc(T **memory, size_t bytes) {
  return cuMemAlloc((CUdeviceptr *)memory, bytes); // HEADER
}

namespace own {
template <class T> static inline CUresult cudaMalloc(T **memory, size_t bytes) {
  return cuMemAlloc((CUdeviceptr *)memory, bytes); // NAMESPACE
}
} // namespace own

static inline void cudaCheck(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::printf("%s failed\n", what);
  std::exit(1);
}

#define CUDA_CHECK(call) cudaCheck((call), #call)

#endif
