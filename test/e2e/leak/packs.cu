// Functions that fill each pointer of a pack: an allocation has the name of its own argument, through another function
// of the program as well.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=d_x caller=@three count=1 bytes=1KiB
// EXPECT: leak proven variable=d_n caller=@three count=1 bytes=1KiB
// EXPECT: leak proven variable=grid.u caller=@three count=1 bytes=1KiB
// EXPECT: leak proven variable=d_a count=1 bytes=2KiB
// EXPECT: leak proven variable=grid.v count=1 bytes=2KiB
// EXPECT-ALL
// EXPECT-NO[twin]: leak
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <stdio.h>

template <class... T> __attribute__((noinline)) static void makeEach(size_t n, T *&...p) {
  const cudaError_t results[] = {cudaMalloc(&p, n)...};
  for (cudaError_t result : results)
    CHECK(result);
}
__attribute__((noinline)) static void make(float *&to, size_t n) { CHECK(cudaMalloc(&to, n)); }
template <class... T> __attribute__((noinline)) static void handOn(size_t n, T *&...p) {
  const int results[] = {(make(p, n), 0)...};
  (void)results;
}

struct Grid {
  float *u, *v;
};

int main() {
  float *d_x, *d_a;
  int *d_n;
  Grid grid;
  makeEach(1024, d_x, d_n, grid.u); // @three
  handOn(2048, d_a, grid.v);
  for (void *p : {(void *)d_x, (void *)d_n, (void *)grid.u, (void *)d_a, (void *)grid.v}) {
    CHECK(cudaMemset(p, 1, 1024));
#ifdef FIXED
    CHECK(cudaFree(p));
#endif
  }
  printf("%d\n", d_x != d_a);
}
