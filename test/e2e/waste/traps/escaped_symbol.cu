// The address of a buffer is kept in a __device__ variable; kernels without arguments use it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: gpu
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda_runtime.h>

constexpr int N = 1 << 16;

__device__ float *g_state;

__global__ void reset(float threshold) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (g_state[i] > threshold)
    g_state[i] = 0;
}

int main() {
  std::vector<float> state = noise(N), out(N);
  float *d_state;
  CHECK(cudaMalloc(&d_state, 4 * N));
  CHECK(cudaMemcpyToSymbol(g_state, &d_state, sizeof(d_state)));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_state, state.data(), 4 * N, cudaMemcpyHostToDevice));
    reset<<<N / 256, 256>>>(round == 7 ? 0.5f : 1.0f);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), d_state, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_state));
}
