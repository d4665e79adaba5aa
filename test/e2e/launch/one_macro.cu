// Two launches and a check in one macro line: two sites, told apart.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// EXPECT-CLEAN
// EXPECT-SITE: kind=launch callee=first line=@both calls=4
// EXPECT-SITE: kind=launch callee=second line=@both calls=4
// EXPECT-SITE: kind=launch line=@both matches=2
#include <cuda_runtime.h>

#include <cstdio>

__global__ void first(int *x) { *x = 1; }
__global__ void second(int *x) { *x = 2; }

#define BOTH(x)                                                                                    \
  do {                                                                                             \
    first<<<1, 1>>>(x);                                                                            \
    second<<<1, 1>>>(x);                                                                           \
    failures += cudaGetLastError() != cudaSuccess;                                                 \
  } while (0)

int main() {
  int *d_x, failures = 0;
  if (cudaMalloc(&d_x, 4) != cudaSuccess)
    return 1;
  for (int i = 0; i < 4; ++i)
    BOTH(d_x); // @both
  if (cudaDeviceSynchronize() != cudaSuccess || cudaFree(d_x) != cudaSuccess)
    return 2;
  std::printf("%d failures\n", failures);
}
