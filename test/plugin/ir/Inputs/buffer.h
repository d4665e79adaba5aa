// An owning buffer: sites in inline members. Line numbers are named by tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>
struct Buffer {
  void *data = nullptr;
  explicit Buffer(unsigned long n) { cudaMalloc(&data, n); }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer &) = delete;
};
