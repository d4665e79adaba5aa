// A library that is not instrumented.
// SPDX-License-Identifier: Apache-2.0
#include "foreign.h"

#include <cuda_runtime_api.h>

#include <stdlib.h>

void foreignSet(void *d_memory, int value, size_t bytes) {
  if (cudaMemset(d_memory, value, bytes) != cudaSuccess)
    abort();
}

void *foreignAllocate(size_t bytes) {
  void *d_memory;
  if (cudaMalloc(&d_memory, bytes) != cudaSuccess)
    abort();
  return d_memory;
}

void foreignFree(void *d_memory) {
  if (cudaFree(d_memory) != cudaSuccess)
    abort();
}

void *foreignSymbol(const void *symbol) {
  void *d_variable;
  if (cudaGetSymbolAddress(&d_variable, symbol) != cudaSuccess)
    abort();
  return d_variable;
}
