// A module that a program loads at run time.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

extern "C" int moduleRun(int keep) {
  void *d_work = nullptr;
  if (cudaMalloc(&d_work, 2048) != cudaSuccess) // @alloc
    return 1;
  if (cudaMemset(d_work, 0, 2048) != cudaSuccess)
    return 2;
  return keep ? 0 : cudaFree(d_work);
}
