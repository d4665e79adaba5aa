// Another unit of the program, with the function that main.cu calls.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
void *allocate(size_t n) {
  void *p = nullptr;
  cudaMalloc(&p, n);
  return p;
}
