// Managed memory is copied and set, and the host reads or writes it behind the wait, without a call: that one is
// needed, though launches follow. Behind a copy that stays on the device it is not.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT: needless-sync advice line=@needless count>=8
// EXPECT-NO: needless-sync line=@into
// EXPECT-NO: needless-sync line=@set
// EXPECT-NO: needless-sync line=@out
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void stepAt(unsigned i, float *x) { x[i] = 0.5f * x[i] + 0.25f; }
__global__ void step(float *x) { stepAt(globalThread(), x); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> x = noise(N);
  float *m, *d_x, *d_y, sum = 0;
  CHECK(cudaMallocManaged(&m, 4 * N));
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int round = 0; round < 10; ++round) {
    CHECK(cudaMemcpyAsync(m, d_x, 4 * N, cudaMemcpyDeviceToHost, nullptr));
    CHECK(cudaDeviceSynchronize()); // @into
    sum += m[round];
    step<<<N / 256, 256>>>(d_x);
  }
  for (int round = 0; round < 10; ++round) {
    CHECK(cudaMemsetAsync(m, round, 4 * N, nullptr));
    CHECK(cudaDeviceSynchronize()); // @set
    sum += m[round];
    step<<<N / 256, 256>>>(d_x);
  }
  for (int round = 0; round < 10; ++round) {
    m[round] = float(round);
    CHECK(cudaMemcpyAsync(d_y, m, 4 * N, cudaMemcpyDefault, nullptr));
    CHECK(cudaDeviceSynchronize()); // @out
    m[round + 1] = 0;
    step<<<N / 256, 256>>>(d_y);
  }
  for (int round = 0; round < 10; ++round) {
    CHECK(cudaMemcpyAsync(d_x, d_y, 4 * N, cudaMemcpyDeviceToDevice, nullptr));
    CHECK(cudaDeviceSynchronize()); // @needless
    step<<<N / 256, 256>>>(d_x);
  }
  CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  printf("%g %08x\n", double(sum), checksum(x.data(), 4 * N));
  CHECK(cudaFree(m));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
}
