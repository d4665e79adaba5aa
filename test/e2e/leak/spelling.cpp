// The variable is named as the source spells it, members behind their object: subscripts, casts, auto.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=grid.buf type=float function=Grid::Grid line=@this bytes=1024
// EXPECT: leak proven memory=device variable=grid.ptrs[i] type=int function=Grid::Grid line=@subscript count=4 bytes=256
// EXPECT: leak proven memory=device variable=d_x type=float function=main line=@cast bytes=2048 elements=512
// EXPECT: leak proven memory=device variable=grid.halo.left type=double function=main line=@member bytes=512 elements=64
// EXPECT: leak proven memory=device variable=text type=char function=main line=@made via=@deref via-function=make bytes=100 elements=100
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

struct Halo {
  double *left = nullptr;
};

struct Grid {
  Grid() {
    CHECK(cudaMalloc(&this->buf, 1024)); // @this
    for (int i = 0; i < 4; ++i)
      CHECK(cudaMalloc(&ptrs[i], 64)); // @subscript
  }
  float *buf;
  int *ptrs[4];
  Halo halo;
};

static void make(char **out) {
  CHECK(cudaMalloc(out, 100)); // @deref
}

int main() {
  Grid grid;
  float *d_x;
  const size_t n = 512;
  CHECK(cudaMalloc((void **)&d_x, n * sizeof(float))); // @cast
  CHECK(cudaMalloc(reinterpret_cast<void **>(&grid.halo.left), 512)); // @member
  char *text;
  make(&text); // @made
#ifdef FIXED
  CHECK(cudaFree(grid.buf));
  for (auto p : grid.ptrs)
    CHECK(cudaFree(p));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(grid.halo.left));
  CHECK(cudaFree(text));
#endif
  puts("done");
}
