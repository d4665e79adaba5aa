// corpus: -std=c++20 --precompile | -std=c++20 -O2
module;
#include <cuda_runtime_api.h>
export module memory;
export inline void *get(int n) { void *p = nullptr; cudaMalloc(&p, n); return p; }
export template <class T> void put(T *p) { cudaFree(p); }
