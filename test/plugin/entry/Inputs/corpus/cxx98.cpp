// corpus: -std=c++98 -pedantic -Wall -Wextra -fsyntax-only | run -std=c++03 -O1
#include <cuda_runtime_api.h>
#include <cstdio>
template <class T> struct Buffer {
  T *p;
  Buffer(int n) throw() : p(0) { cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof(T)); }
  ~Buffer() { cudaFree(p); }
private:
  Buffer(const Buffer &);
};
int main() { try { Buffer<float> b(4); throw 1; } catch (int unused) { std::puts("caught"); } }
