// Accumulators are zeroed and distances set to infinity on the host, but for the first one, then
// uploaded.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full:verbose=1
// EXPECT: uniform-upload advice function=main line=@zeroes variable=d_sum count=1 bytes=1MiB
// EXPECT: uniform-upload advice function=main line=@infinity variable=d_distance count=1 bytes=64KiB
// EXPECT-REPORT: *65.5 kB uploaded, equal but for 1 of 16384 words of 4 bytes*
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Nodes = 1 << 14;

__host__ __device__ inline void fillAt(unsigned i, float value, float *out) { out[i] = value; }
__global__ void fill(float value, float *out) { fillAt(globalThread(), value, out); }
SIMULATED(fill, fillAt)
__host__ __device__ inline void addAt(unsigned i, const float *distance, float *sum) {
  sum[i] += distance[i % Nodes] > 1e30f ? 1.0f : float(i);
}
__global__ void add(const float *distance, float *sum) { addAt(globalThread(), distance, sum); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> sum(N, 0.0f), distance(Nodes, 3e38f);
  distance[0] = 0;
  float *d_sum, *d_distance;
  CHECK(cudaMalloc(&d_sum, 4 * N));
  CHECK(cudaMalloc(&d_distance, 4 * Nodes));
#ifdef FIXED
  CHECK(cudaMemset(d_sum, 0, 4 * N));
  fill<<<Nodes / 256, 256>>>(3e38f, d_distance);
  CHECK(cudaMemcpy(d_distance, distance.data(), 4, cudaMemcpyHostToDevice));
#else
  CHECK(cudaMemcpy(d_sum, sum.data(), 4 * N, cudaMemcpyHostToDevice)); // @zeroes
  CHECK(cudaMemcpy(d_distance, distance.data(), 4 * Nodes, cudaMemcpyHostToDevice)); // @infinity
#endif
  add<<<N / 256, 256>>>(d_distance, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_sum));
  CHECK(cudaFree(d_distance));
}
