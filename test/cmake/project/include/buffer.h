// A header-only wrapper.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

template <class T> struct Buffer {
  explicit Buffer(int n) { (void)!cudaMalloc(&data, n * sizeof(T)); }
  T *data = nullptr;
};
