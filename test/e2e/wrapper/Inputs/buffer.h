// Device memory with an owner, and a matrix that keeps its elements in one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../Inputs/check.h"
#include <vector>

template <class T> class Buffer {
public:
  explicit Buffer(size_t n) : n(n) { CHECK(cudaMalloc((void **)&ptr, n * sizeof(T))); } // @alloc
  Buffer(const Buffer &) = delete;
  ~Buffer() { CHECK(cudaFree(ptr)); } // @free
  void upload(const std::vector<T> &host) {
    CHECK(cudaMemcpy(ptr, host.data(), n * sizeof(T), cudaMemcpyHostToDevice)); // @upload
  }
  void download(std::vector<T> &host) const {
    CHECK(cudaMemcpy(host.data(), ptr, n * sizeof(T), cudaMemcpyDeviceToHost)); // @download
  }
  T *data() { return ptr; }

private:
  size_t n;
  T *ptr = nullptr;
};

struct Source {
  virtual ~Source() = default;
  virtual void fill(const std::vector<float> &host) = 0;
};

class Matrix : public Source {
public:
  explicit Matrix(size_t n) : elements(n) {} // @elements
  void fill(const std::vector<float> &host) override {
    elements.upload(host); // @fill
  }
  float *data() { return elements.data(); }

private:
  Buffer<float> elements;
};
