// Frees that look wrong and are legal: null, async memory by cudaFree, a reused address.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-NO: invalid-free
// EXPECT-NO: double-free
// EXPECT-SITE: kind=free line=@null calls=1 failed=0
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  CHECK(cudaFree(nullptr)); // @null
  CHECK(cudaFreeHost(nullptr));

  float *d_async;
  CHECK(cudaMallocAsync((void **)&d_async, 4096, nullptr));
  CHECK(cudaFree(d_async));

  // The allocator hands the same address out again and again.
  for (int i = 0; i < 5; ++i) {
    void *d_again;
    CHECK(cudaMalloc(&d_again, 4096));
    CHECK(cudaFree(d_again));
  }

  void *d_mixed;
  CHECK(cudaMalloc(&d_mixed, 100));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocAsync((void **)&d_async, 8192, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFreeAsync(d_async, stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_mixed));
  puts("done");
}
