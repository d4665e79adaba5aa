// Trap: the device reads the host's ordinary memory by itself: an asynchronous upload may read its source after the
// call is back, and the wait behind it keeps the host from changing that.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// ENV: GPUINSTR_SIM=host=reached
// EXPECT-NO: needless-sync
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x, float by) { x[i] = by * x[i] + 0.25f; }
__global__ void step(float *x, float by) { stepAt(globalThread(), x, by); }
SIMULATED(step, stepAt)

int main() {
  float *d_x;
  CHECK(cudaMalloc(&d_x, 4 * N));
  std::vector<float> x = noise(N);
  for (int i = 0; i < 8; ++i) {
    CHECK(cudaMemcpyAsync(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice, nullptr));
    CHECK(cudaDeviceSynchronize());
    x[0] = float(i);
    step<<<N / 256, 256>>>(d_x, 0.5f);
  }
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(x));
  CHECK(cudaFree(d_x));
}
