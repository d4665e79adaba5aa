// corpus: -std=c++11 -Wall -Wextra -fsyntax-only | -std=c++14 -fno-such-option | -std=c++17 -g -O1 -fno-exceptions | -std=c++23 -fsyntax-only -Wall | run -std=c++20 -O2
#include <cuda_runtime_api.h>
#include <cstdio>
#include <memory>
struct Free { void operator()(void *p) const noexcept { cudaFree(p); } };
template <class T> std::unique_ptr<T, Free> make(int n) {
  void *p = nullptr;
  cudaMalloc(&p, n * sizeof(T));
  return std::unique_ptr<T, Free>(static_cast<T *>(p));
}
thread_local int calls = 0;
static inline int onlyHere(int shadow) { return [=](int unused) { return shadow; }(1); }
int main() {
  auto a = make<int>(4);
  auto b = [&]() -> void * { ++calls; return make<double>(2).release(); }();
  cudaMemset(a.get(), 0, 16);
  std::printf("%d %d\n", calls, cudaFree(b) == cudaSuccess);
}
