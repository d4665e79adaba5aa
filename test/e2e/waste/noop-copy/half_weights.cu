// Weights in half precision, uploaded in each round though they stay the same, beside inputs that are drawn on the device.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@upload variable=weights
// EXPECT-NO[twin]: *
#include "../../Inputs/check.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdlib.h>

constexpr int N = 1 << 18, Rounds = 30;

__global__ void scale(const __half2 *weights, __half2 *out, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 by = __float2half2_rn(factor);
  out[i] = __hfma2(weights[i], by, by);
}

int main() {
  __half2 *weights, *out, *host;
  CHECK(cudaMalloc(&weights, N * sizeof *weights));
  CHECK(cudaMalloc(&out, N * sizeof *out));
  CHECK(cudaMallocHost(&host, N * sizeof *host));
  for (int i = 0; i < N; ++i)
    host[i] = __floats2half2_rn(float(i % 1009), float(i % 17));
#ifdef FIXED
  CHECK(cudaMemcpy(weights, host, N * sizeof *host, cudaMemcpyHostToDevice));
#endif
  for (int round = 0; round < Rounds; ++round) {
#ifndef FIXED
    CHECK(cudaMemcpy(weights, host, N * sizeof *host, cudaMemcpyHostToDevice)); // @upload
#endif
    scale<<<N / 256, 256>>>(weights, out, float(round));
  }
  CHECK(cudaMemcpy(host, out, N * sizeof *host, cudaMemcpyDeviceToHost));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(weights));
  CHECK(cudaFree(out));
}
