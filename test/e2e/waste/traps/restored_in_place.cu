// A kernel normalises a buffer in place, and the host restores the original before the next run.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: noop-copy
// EXPECT-NO: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18;

__host__ __device__ inline void normaliseAt(unsigned i, float *x, float factor) { x[i] *= factor; }
__global__ void normalise(float *x, float factor) { normaliseAt(globalThread(), x, factor); }
SIMULATED(normalise, normaliseAt)

int main() {
  std::vector<float> original = noise(N), result(N);
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  for (int run = 0; run < 8; ++run) {
    CHECK(cudaMemcpy(d_x, original.data(), 4 * N, cudaMemcpyHostToDevice));
    normalise<<<N / 256, 256>>>(d_x, 1 + 0.5f * float(run + 1));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(result));
  }
  CHECK(cudaFree(d_x));
}
