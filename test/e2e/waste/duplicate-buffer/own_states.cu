// Trap: walkers start from the same state, but each kernel changes its own at once.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: duplicate-buffer
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 18, Walkers = 5;

__host__ __device__ inline void walkAt(unsigned i, float *state, int walker) {
  state[i] += float(walker) + 0.5f;
}
__global__ void walk(float *state, int walker) { walkAt(globalThread(), state, walker); }
SIMULATED(walk, walkAt)

int main() {
  std::vector<float> start = noise(N), state(N);
  float *d_states[Walkers];
  for (int w = 0; w < Walkers; ++w) {
    CHECK(cudaMalloc(&d_states[w], 4 * N));
    CHECK(cudaMemcpy(d_states[w], start.data(), 4 * N, cudaMemcpyHostToDevice));
    walk<<<N / 256, 256>>>(d_states[w], w);
    CHECK(cudaGetLastError());
  }
  for (float *d_state : d_states) {
    CHECK(cudaMemcpy(state.data(), d_state, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(state));
    CHECK(cudaFree(d_state));
  }
}
