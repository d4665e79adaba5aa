// The old state is initialised like the state, and the loop begins by copying it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT: noop-copy advice function=main line=@copy variable=d_old count=1 bytes=2MiB
// EXPECT-REPORT: *the first copy found its bytes there already*
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 19;

__host__ __device__ inline void initializeAt(unsigned i, float seed, float *state) {
  state[i] = seed + float(i % 1000);
}
__global__ void initialize(float seed, float *state) { initializeAt(globalThread(), seed, state); }
SIMULATED(initialize, initializeAt)
__host__ __device__ inline void stepAt(unsigned i, const float *old, float *state) {
  state[i] = 0.5f * (state[i] + old[N - 1 - i]) + 1;
}
__global__ void step(const float *old, float *state) { stepAt(globalThread(), old, state); }
SIMULATED(step, stepAt)

int main() {
  std::vector<float> state(N);
  float *d_old, *d_state;
  CHECK(cudaMalloc(&d_old, 4 * N));
  CHECK(cudaMalloc(&d_state, 4 * N));
  initialize<<<N / 256, 256>>>(1, d_state);
#ifdef FIXED
  float seed = 2;
#else
  float seed = 1;
#endif
  initialize<<<N / 256, 256>>>(seed, d_old);
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaMemcpy(d_old, d_state, 4 * N, cudaMemcpyDeviceToDevice)); // @copy
    step<<<N / 256, 256>>>(d_old, d_state);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(state.data(), d_state, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(state));
  CHECK(cudaFree(d_old));
  CHECK(cudaFree(d_state));
}
