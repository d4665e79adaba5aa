// Each simulation restores its state from a template, but the kernels only read the state.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc-static
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@restore variable=d_state count=5 bytes=10MiB
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 19;

__host__ __device__ inline void energyAt(unsigned i, const float *state, float mass, float *out) {
  out[i] += mass * state[i] * state[i];
}
__global__ void energy(const float *state, float mass, float *out) {
  energyAt(globalThread(), state, mass, out);
}
SIMULATED(energy, energyAt)

int main() {
  std::vector<float> start = noise(N), out(N);
  float *d_template, *d_state, *d_out;
  CHECK(cudaMalloc(&d_template, N * 4));
  CHECK(cudaMalloc(&d_state, N * 4));
  CHECK(cudaMalloc(&d_out, N * 4));
  CHECK(cudaMemcpy(d_template, start.data(), N * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_out, 0, N * 4));
  for (int run = 0; run < 6; ++run) {
#ifdef FIXED
    if (run == 0)
#endif
      CHECK(cudaMemcpy(d_state, d_template, N * 4, cudaMemcpyDeviceToDevice)); // @restore
    energy<<<N / 256, 256>>>(d_state, 1.0f + float(run), d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize()); // a copy that does not wait is verified in an idle stream only
  }
  CHECK(cudaMemcpy(out.data(), d_out, N * 4, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(d_template));
  CHECK(cudaFree(d_state));
  CHECK(cudaFree(d_out));
}
