// A kernel that the simulated device cannot run is refused there, by name: no bug of the program, and what it would have
// written is missing, so that copies bring the same each time. A launch that no device runs is one.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// ONLY: simulator
// ENV: GPUINSTR_SIM=kernels=refuse
// EXPECT-STDERR: gpuinstr simulator: kernel scale(*carries no code*
// EXPECT-REPORT: *kernels not run*
// EXPECT: failed-launch proven function=main line=@wide count=1
// EXPECT-ALL
#include <cstdio>
#include <vector>

constexpr int N = 1 << 16, Rounds = 8;

__global__ void scale(float *y, const float *x, float by) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < unsigned(N))
    y[i] = by * x[i];
}

int main() {
  std::vector<float> x(N);
  for (int i = 0; i < N; ++i)
    x[i] = 0.37f * float(i);
  float *d_x, *d_y;
  cudaMalloc(&d_x, 4 * N);
  cudaMalloc(&d_y, 4 * N);
  cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice);
  for (int round = 0; round < Rounds; ++round) {
    cudaMemset(d_y, 0, 4 * N);
    scale<<<N / 256, 256>>>(d_y, d_x, float(round));
    cudaMemcpy(x.data(), d_y, 4 * N, cudaMemcpyDeviceToHost);
  }
  scale<<<1, 4096>>>(d_y, d_x, 1); // @wide
  printf("done %zu\n", x.size());
  cudaFree(d_x);
  cudaFree(d_y);
}
