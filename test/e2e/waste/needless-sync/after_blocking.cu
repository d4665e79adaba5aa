// The device is synchronised after each download, which has waited already.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: needless-sync advice function=main line=@sync count=5
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 1.5f * x[i] + 0.25f; }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> x = noise(N);
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 5; ++i) {
    step<<<N / 256, 256>>>(d_x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @sync
#endif
    printf("%08x\n", checksum(x));
  }
  CHECK(cudaFree(d_x));
}
