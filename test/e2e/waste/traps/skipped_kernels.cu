// Kernels that the simulated device cannot run write nothing (GPUINSTR_SIM=kernels=skip). What they would have changed,
// and what is copied from there, is the same each time: that says nothing about the program.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 nvcc
// ONLY: simulator
// EXPECT-REPORT: *kernels not run*
// EXPECT-NO: noop-copy variable=d_x
// EXPECT-NO: noop-copy variable=d_old
// EXPECT-NO: roundtrip
// EXPECT-NO: reupload
// EXPECT: noop-copy proven function=main line=@same variable=d_same count=15
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

constexpr int N = 1 << 16, Rounds = 16;

__global__ void step(float *x, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < unsigned(n))
    x[i] = 0.5f * x[i] + 1;
}

int main() {
  std::vector<float> x = noise(N), same = noise(N, 2);
  float *d_x, *d_old, *d_same;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_old, 4 * N));
  CHECK(cudaMalloc(&d_same, 4 * N));
  CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaMemcpy(d_old, d_x, 4 * N, cudaMemcpyDeviceToDevice));
    step<<<N / 256, 256>>>(d_x, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(x.data(), d_old, 4 * N, cudaMemcpyDeviceToHost));
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice));
    step<<<N / 256, 256>>>(d_x, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x.data(), d_x, 4 * N, cudaMemcpyDeviceToHost));
  }
  for (int round = 0; round < Rounds; ++round) {
    CHECK(cudaMemcpy(d_same, same.data(), 4 * N, cudaMemcpyHostToDevice)); // @same
    CHECK(cudaDeviceSynchronize());
  }
  printf("done %zu\n", x.size());
  CHECK(cudaFree(d_same));
  CHECK(cudaFree(d_old));
  CHECK(cudaFree(d_x));
}
