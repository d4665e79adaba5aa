// corpus: --cuda-host-only -Wall -Wextra -O2 | -std=c++20 --cuda-host-only -fgpu-rdc | same --cuda-device-only -S
#include <cuda_runtime.h>
__constant__ int table[4];
template <class T> __global__ void fill(T *p, T v, int unused) { p[threadIdx.x] = v + table[0]; }
int main() {
  float *p;
  cudaMalloc(&p, 128);
  fill<<<1, 32>>>(p, 1.0f, 0);
  cudaMemcpyToSymbol(table, p, 4);
  return cudaFree(p);
}
