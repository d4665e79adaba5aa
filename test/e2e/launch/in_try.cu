// Launches inside try blocks, with arguments that throw after the configuration was pushed.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// EXPECT-CLEAN
// EXPECT-SITE: kind=launch callee=store line=@throwing calls=2 failed=0
// EXPECT-SITE: kind=launch callee=store line=@after calls=1 failed=0
// EXPECT-STDOUT: 3 caught
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>

__global__ void store(int *x, int value) { *x = value; }

static int pick(int i) {
  if (i % 2 == 0)
    throw std::out_of_range("even");
  return i;
}

int main() {
  int *d_x, caught = 0;
  if (cudaMalloc(&d_x, 4) != cudaSuccess)
    return 1;
  for (int i = 0; i < 5; ++i)
    try {
      store<<<1, 1>>>(d_x, pick(i)); // @throwing
    } catch (const std::out_of_range &) {
      ++caught;
    }
  store<<<1, 1>>>(d_x, 9); // @after
  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  std::printf("%d caught\n", caught);
  return cudaFree(d_x) == cudaSuccess ? 0 : 3;
}
