// The second unit of a program with relocatable device code.
// SPDX-License-Identifier: Apache-2.0
#include "field.h"

__device__ float damp(float value, float factor) { return value * factor; }

bool Field::allocate(int n) {
  size = n;
  return cudaMalloc(&data, n * sizeof(float)) == cudaSuccess; // @alloc
}

bool Field::release() { return cudaFree(data) == cudaSuccess; }
