// main() returns 0 right behind an error that it expected: what it holds then is a leak.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// EXPECT: leak proven variable=x line=@alloc count=1
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit
#include <cuda_runtime.h>

#include <stdio.h>

int main() {
  float *x, *y;
  if (cudaMalloc(&x, 1 << 20) != cudaSuccess) // @alloc
    return 1;
  if (cudaMalloc(&y, size_t(1) << 50) != cudaErrorMemoryAllocation)
    return 2;
  printf("as large as can be\n");
  return 0;
}
