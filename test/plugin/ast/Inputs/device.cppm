module;
#include <cuda_runtime.h>
export module device.memory;
export namespace dev {
template <typename T> struct Buffer {
  T *p = nullptr;
  explicit Buffer(size_t n) { cudaMalloc(&p, n * sizeof(T)); }
  ~Buffer() { cudaFree(p); }
  void put(const T *from, size_t n) { cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice); }
};
} // namespace dev
