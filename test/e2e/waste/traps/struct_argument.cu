// The pointers of a kernel come in a struct by value, one of them nested; it may write any of them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 17;

struct Field {
  int n;
  float *values;
};
struct State {
  char kind;
  Field density, mask;
};

__host__ __device__ inline void absorbAt(unsigned i, State s, float limit) {
  if (s.density.values[i] > limit)
    s.density.values[i] = s.mask.values[i] = 0;
}
__global__ void absorb(State s, float limit) { absorbAt(globalThread(), s, limit); }
SIMULATED(absorb, absorbAt)

int main() {
  std::vector<float> density = noise(N), mask = noise(N, 2), out(N);
  State s = {'d', {N, nullptr}, {N, nullptr}};
  CHECK(cudaMalloc(&s.density.values, 4 * N));
  CHECK(cudaMalloc(&s.mask.values, 4 * N));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(s.density.values, density.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(s.mask.values, mask.data(), 4 * N, cudaMemcpyHostToDevice));
    absorb<<<N / 256, 256>>>(s, 2.0f - float(round) / 8); // nothing above the limit until the end
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(out.data(), s.mask.values, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaFree(s.density.values));
  CHECK(cudaFree(s.mask.values));
}
