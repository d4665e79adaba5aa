// Stream-ordered allocations, from the default pool and from an own one.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=async variable=d_activations line=@async count=1 bytes=1048576
// EXPECT: leak proven memory=async variable=d_gradients line=@pool count=1 bytes=2097152
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));

  float *d_activations, *d_gradients, *d_scratch;
  CHECK(cudaMallocAsync(&d_activations, 1 << 20, stream)); // @async
  CHECK(cudaMallocFromPoolAsync((void **)&d_gradients, 2 << 20, pool, stream)); // @pool
  CHECK(cudaMallocAsync((void **)&d_scratch, 4096, stream));
  CHECK(cudaMemsetAsync(d_scratch, 0, 4096, stream));
  CHECK(cudaFreeAsync(d_scratch, stream));
#ifdef FIXED
  CHECK(cudaFreeAsync(d_activations, stream));
  CHECK(cudaFree(d_gradients));
#endif
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  puts("done");
}
