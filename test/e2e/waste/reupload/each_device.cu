// Two devices take turns; in each round each one gets a new buffer and the same table.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// DEVICES: 2
// OPTIONS: audit=full
// EXPECT: reupload proven line=@send count=10 bytes=2560KiB
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16, Devices = 2, Rounds = 6;

__host__ __device__ inline void addAt(unsigned i, const float *table, float *sums) { sums[i] += table[i]; }
__global__ void add(const float *table, float *sums) { addAt(globalThread(), table, sums); }
SIMULATED(add, addAt)

int main() {
  std::vector<float> table = noise(N), sums(N);
  float *d_table[Devices], *d_sums[Devices];
  for (int device = 0; device < Devices; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&d_sums[device], N * 4));
    CHECK(cudaMemset(d_sums[device], 0, N * 4));
#ifdef FIXED
    CHECK(cudaMalloc(&d_table[device], N * 4));
    CHECK(cudaMemcpy(d_table[device], table.data(), N * 4, cudaMemcpyHostToDevice));
#endif
  }
  for (int round = 0; round < Rounds; ++round)
    for (int device = 0; device < Devices; ++device) {
      CHECK(cudaSetDevice(device));
#ifndef FIXED
      CHECK(cudaMalloc(&d_table[device], N * 4));
      CHECK(cudaMemcpy(d_table[device], table.data(), N * 4, cudaMemcpyHostToDevice)); // @send
#endif
      add<<<N / 256, 256>>>(d_table[device], d_sums[device]);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
#ifndef FIXED
      CHECK(cudaFree(d_table[device]));
#endif
    }
  for (int device = 0; device < Devices; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaMemcpy(sums.data(), d_sums[device], N * 4, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(sums));
    CHECK(cudaFree(d_sums[device]));
#ifdef FIXED
    CHECK(cudaFree(d_table[device]));
#endif
  }
}
