// An allocation that no device can serve: who holds memory then.
// SPDX-License-Identifier: Apache-2.0
// EXPECT: out-of-memory information function=loadModel line=@fails bytes=70368744177664
// EXPECT-HOLDER: variable=d_weights memory=device bytes=33554432 count=1 line=@weights
// EXPECT-HOLDER: variable=d_layers[i] memory=device bytes=4194304 count=4 line=@layers
// EXPECT-CLEAN
// EXPECT-REPORT: OUT OF MEMORY*70.4 TB*out_of_memory.cpp:{@fails}
// EXPECT-SITE: line=@fails calls=1 failed=1
// EXPECT-STDOUT: cudaErrorMemoryAllocation
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static const char *loadModel(size_t bytes) {
  void *d_model = nullptr;
  cudaError_t status = cudaMalloc(&d_model, bytes); // @fails
  if (status != cudaSuccess)
    cudaGetLastError();
  return cudaGetErrorName(status);
}

int main() {
  float *d_weights, *d_layers[4], *d_gone;
  CHECK(cudaMalloc(&d_gone, 1 << 20));
  CHECK(cudaMalloc(&d_weights, 32 << 20)); // @weights
  for (int i = 0; i < 4; ++i)
    CHECK(cudaMalloc(&d_layers[i], 1 << 20)); // @layers
  CHECK(cudaFree(d_gone));
  puts(loadModel(size_t(1) << 46));
  for (float *layer : d_layers)
    CHECK(cudaFree(layer));
  CHECK(cudaFree(d_weights));
}
