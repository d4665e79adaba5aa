// An RAII buffer of device memory, as many programs have one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <new>

template <typename T> class Buffer {
public:
  explicit Buffer(std::size_t n) : n(n) {
    if (cudaMalloc(&data, n * sizeof(T)) != cudaSuccess) // @alloc
      throw std::bad_alloc();
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer &) = delete;
  T *get() { return data; }
  std::size_t size() const { return n; }

private:
  T *data = nullptr;
  std::size_t n;
};
