// Memory that the program mapped itself exists, and a kernel makes an address of a number, but of
// none that lies there: what the host sends between the launches stays proven.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT: noop-copy proven count=7 variable=d_scale
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include "../traps/Inputs/physical.h"

__global__ void put(unsigned long long place, unsigned long long number, int on) {
  if (on)
    *reinterpret_cast<unsigned long long *>(place) = number;
}
inline void nothing(unsigned, unsigned long long, unsigned long long, int) {}
SIMULATED(put, nothing)

int main(int argc, char **) {
  const std::vector<float> scale = noise(64);
  float *d_scale;
  unsigned long long *d_out;
  CHECK(cudaMalloc(&d_scale, scale.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_out, sizeof(*d_out)));
  const Physical memory;
  const CUdeviceptr place = memory.reserve();
  memory.map(place);
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_scale, scale.data(), scale.size() * sizeof(float), cudaMemcpyHostToDevice));
    put<<<1, 1>>>(reinterpret_cast<unsigned long long>(d_out), 1ull << 40 | round, argc - 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaFree(d_scale));
  CHECK(cudaFree(d_out));
  OK(cuMemUnmap(place, memory.bytes));
  OK(cuMemAddressFree(place, memory.bytes));
  memory.release();
}
