// What the PCH and module tests use and, for the most part, do not use.
// SPDX-License-Identifier: Apache-2.0
#ifndef BUFFER_H
#define BUFFER_H
#include <cuda_runtime_api.h>
namespace lib {
template <class T> struct Buffer {
  T *data;
  explicit Buffer(unsigned long n) { cudaMalloc((void **)&data, n * sizeof(T)); }
  ~Buffer() { cudaFree(data); }
};
inline float *make(unsigned long n) {
  float *made;
  auto get = [&] { return cudaMalloc((void **)&made, n); };
  return get() == cudaSuccess ? made : nullptr;
}
template <class T> void set(T *where) { cudaMemset(where, 0, sizeof(T)); }
inline void never() { cudaDeviceReset(); }
} // namespace lib
#endif
