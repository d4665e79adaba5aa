// A copy from freed memory is one bug, though nobody asks for its error. What fails for another
// reason is still told.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: copy-after-free proven line=@freed count=2
// EXPECT: ignored-error proven line=@null count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  constexpr size_t Bytes = 64 << 20;
  float *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_sums, Bytes));
  CHECK(cudaMemset(d_sums, 0, Bytes));
  CHECK(cudaMemcpy(&sum, d_sums, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_sums));
#ifndef FIXED
  for (int i = 0; i < 2; ++i)
    cudaMemcpy(&sum, d_sums + i, sizeof sum, cudaMemcpyDeviceToHost); // @freed
  cudaMemcpy(nullptr, nullptr, sizeof sum, cudaMemcpyDeviceToHost);  // @null
#endif
  printf("%g\n", sum);
}
