// A stencil with two buffers that swap roles; a snapshot goes to the same host array every step.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void smoothAt(unsigned i, const float *from, float *to) {
  to[i] = i == 0 || i == N - 1 ? from[i] : 0.25f * (from[i - 1] + 2 * from[i] + from[i + 1]);
}
__global__ void smooth(const float *from, float *to) { smoothAt(globalThread(), from, to); }
SIMULATED(smooth, smoothAt)

int main() {
  std::vector<float> field = noise(N);
  float *d_from, *d_to;
  CHECK(cudaMalloc(&d_from, 4 * N));
  CHECK(cudaMalloc(&d_to, 4 * N));
  CHECK(cudaMemcpy(d_from, field.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_to, d_from, 4 * N, cudaMemcpyDeviceToDevice));
  for (int step = 0; step < 10; ++step) {
    smooth<<<N / 256, 256>>>(d_from, d_to);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(field.data(), d_to, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(field));
    std::swap(d_from, d_to);
  }
  CHECK(cudaFree(d_from));
  CHECK(cudaFree(d_to));
}
