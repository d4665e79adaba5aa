// A program that answers an error by exit(0) has no leaks for that.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=error
// EXPECT-REPORT: *ended by exit() behind a failed call*
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#define CHECKED(call)                                                                              \
  do {                                                                                             \
    cudaError_t error = call;                                                                      \
    if (error != cudaSuccess) {                                                                    \
      printf("%s\n", cudaGetErrorString(error));                                                   \
      exit(EXIT_SUCCESS);                                                                          \
    }                                                                                              \
  } while (0)

int main() {
  float *x, *y;
  CHECKED(cudaMalloc(&x, 1 << 20));
  CHECKED(cudaMemset(x, 0, 1 << 20));
  CHECKED(cudaMalloc(&y, size_t(1) << 50));
  CHECKED(cudaFree(x));
}
