// Trap: a test bench resets the device behind each case, which takes all buffers with it:
// none outlasts that. Those of one case, where one buffer would do for it, are told.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: verbose=1
// EXPECT-NO: alloc-churn line=@once
// EXPECT-NO: alloc-churn line=@other-size
// EXPECT: alloc-churn advice line=@often count=16
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__host__ __device__ inline void fillAt(unsigned i, float *a) { a[i] = float(i); }
__global__ void fill(float *a) { fillAt(globalThread(), a); }
SIMULATED(fill, fillAt)

static void use(float *a) {
  fill<<<1, 256>>>(a);
  CHECK(cudaGetLastError());
}

int main() {
  for (int i = 0; i < 4; ++i) {
    float *once, *other, *often;
    CHECK(cudaMalloc(&once, 4096)); // @once
    use(once);
    CHECK(cudaFree(once));
    for (int k = 0; k < 3; ++k) {
      CHECK(cudaMalloc(&other, 8192 - 64 * (4 * k + i))); // @other-size
      use(other);
      CHECK(cudaFree(other));
    }
    for (int k = 0; k < 4; ++k) {
      CHECK(cudaMalloc(&often, 4096)); // @often
      use(often);
      CHECK(cudaFree(often));
    }
    CHECK(cudaDeviceReset());
  }
  printf("done\n");
}
