// A result is read back after its buffer was freed.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: copy-after-free proven function=readBack line=@copy related=@free count=1
// EXPECT-ALL
// EXPECT-REPORT: copy-after-free*after_free.cpp:{@copy}*readBack
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static int readBack(float *d_sum) {
  float h_sum = 0;
  cudaError_t status = cudaMemcpy(&h_sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost); // @copy
  return status != cudaSuccess && cudaGetLastError() == status;
}

int main() {
  float *d_sum;
  CHECK(cudaMalloc(&d_sum, 64 << 20));
  CHECK(cudaMemset(d_sum, 0, 64 << 20));
#ifdef FIXED
  int failed = readBack(d_sum);
  CHECK(cudaFree(d_sum)); // @fixed
#else
  CHECK(cudaFree(d_sum)); // @free
  int failed = readBack(d_sum);
#endif
  if (failed > 1)
    return 1;
  puts("done");
}
