// corpus: -std=c++20 -O2 | -x c -std=c17 | -std=c++20 -fsyntax-only -Xclang -code-completion-at=%s:6:14
#include <cuda_runtime_api.h>
template <class T> struct Buffer { T *p; ~Buffer() { cudaFree(p); }
void f(float *d_x, int n) {
  if (n > 3) {
    cudaMalloc(&d_x, n *
