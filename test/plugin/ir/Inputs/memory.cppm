module; // an interface unit with a site; a test names its lines
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
export module memory;
export void *get(unsigned long n) {
  void *p = nullptr;
  cudaMalloc(&p, n);
  return p;
}
