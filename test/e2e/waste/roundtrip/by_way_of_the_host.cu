// The new temperatures become the old ones by way of the host, which only looks at them. Fixed,
// they are copied on the device. A second field goes the same way, and the host sets its border.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=sampled budget=100
// EXPECT: roundtrip likely line=@up count>=6
// EXPECT-ALL
// EXPECT-NO[twin]: roundtrip
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void smoothAt(unsigned i, const float *from, float *to) {
  to[i] = 0.5f * from[i] + 0.25f * (from[i ? i - 1 : 0] + from[i + 1 < N ? i + 1 : i]) + 0.125f;
}
__global__ void smooth(const float *from, float *to) { smoothAt(globalThread(), from, to); }
SIMULATED(smooth, smoothAt)

int main() {
  std::vector<float> heat = noise(N), flow = noise(N, 7);
  float *d_heat[2], *d_flow[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMalloc(&d_heat[i], 4 * N));
    CHECK(cudaMalloc(&d_flow[i], 4 * N));
  }
  CHECK(cudaMemcpy(d_heat[0], heat.data(), 4 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_flow[0], flow.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 10; ++i) {
    smooth<<<N / 256, 256>>>(d_heat[0], d_heat[1]);
    smooth<<<N / 256, 256>>>(d_flow[0], d_flow[1]);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(heat.data(), d_heat[1], 4 * N, cudaMemcpyDeviceToHost));
#ifdef FIXED
    CHECK(cudaMemcpy(d_heat[0], d_heat[1], 4 * N, cudaMemcpyDeviceToDevice));
#else
    CHECK(cudaMemcpy(d_heat[0], heat.data(), 4 * N, cudaMemcpyHostToDevice)); // @up
#endif
    CHECK(cudaMemcpy(flow.data(), d_flow[1], 4 * N, cudaMemcpyDeviceToHost));
    flow[0] = flow[N - 1] = float(i);
    CHECK(cudaMemcpy(d_flow[0], flow.data(), 4 * N, cudaMemcpyHostToDevice));
  }
  printf("%08x %08x\n", checksum(heat), checksum(flow));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaFree(d_heat[i]));
    CHECK(cudaFree(d_flow[i]));
  }
}
