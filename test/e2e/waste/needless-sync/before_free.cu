// The device is synchronised directly before memory is freed, which waits for it as well.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// EXPECT: needless-sync advice function=main line=@sync count=4 related=@free
// EXPECT-NO[twin]: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 1.5f * x[i] + 0.25f; }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> x = noise(N);
  float *d_x, *d_scratch;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaMalloc(&d_scratch, 4 * N));
    CHECK(cudaMemcpy(d_scratch, d_x, 4 * N, cudaMemcpyDeviceToDevice));
    step<<<N / 256, 256>>>(d_scratch);
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @sync
#endif
    CHECK(cudaGetLastError());
    CHECK(cudaFree(d_scratch)); // @free
  }
  // Another call between, and pool memory, whose free waits for nothing: needed.
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaMallocAsync(&d_scratch, 4 * N, nullptr));
    CHECK(cudaMemcpyAsync(d_scratch, d_x, 4 * N, cudaMemcpyDeviceToDevice, nullptr));
    step<<<N / 256, 256>>>(d_scratch);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeAsync(d_scratch, nullptr));
  }
  step<<<N / 256, 256>>>(d_x); // or what comes down is what went up
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
