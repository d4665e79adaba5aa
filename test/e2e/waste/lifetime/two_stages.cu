// Buffers of two stages are all allocated up front and all freed at the end: two thirds would do.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: lifetime advice function=run line=@raw variable=d_raw related=@blur count=1 bytes=8MiB
// EXPECT: lifetime advice function=run line=@out variable=d_out related=@edges count=1 bytes=8MiB
// EXPECT-NO: lifetime variable=d_blurred
// EXPECT-ALL
// EXPECT-NO[twin]: lifetime
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 2 << 20;

__host__ __device__ inline void blurAt(unsigned i, const float *in, float *out) {
  out[i] = 0.5f * (in[i] + in[i ? i - 1 : 0]);
}
__global__ void blur(const float *in, float *out) { blurAt(globalThread(), in, out); }
SIMULATED(blur, blurAt)

__host__ __device__ inline void edgesAt(unsigned i, const float *in, float *out) {
  out[i] = in[i] - in[i ? i - 1 : 0];
}
__global__ void edges(const float *in, float *out) { edgesAt(globalThread(), in, out); }
SIMULATED(edges, edgesAt)

static std::vector<float> run(const std::vector<float> &image) {
  std::vector<float> result(N);
  float *d_raw, *d_blurred, *d_out;
  CHECK(cudaMalloc(&d_raw, 4 * N)); // @raw
  CHECK(cudaMalloc(&d_blurred, 4 * N));
#ifndef FIXED
  CHECK(cudaMalloc(&d_out, 4 * N)); // @out
#endif
  CHECK(cudaMemcpy(d_raw, image.data(), 4 * N, cudaMemcpyHostToDevice));
  blur<<<N / 256, 256>>>(d_raw, d_blurred); // @blur
#ifdef FIXED
  CHECK(cudaFree(d_raw));
  CHECK(cudaMalloc(&d_out, 4 * N));
#endif
  edges<<<N / 256, 256>>>(d_blurred, d_out); // @edges
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
#ifndef FIXED
  CHECK(cudaFree(d_raw));
#endif
  CHECK(cudaFree(d_blurred));
  CHECK(cudaFree(d_out));
  return result;
}

int main() { printf("%08x\n", checksum(run(noise(N)))); }
