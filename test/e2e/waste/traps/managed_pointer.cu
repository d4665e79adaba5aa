// The host stores a buffer's address into a __managed__ variable, by no call; a kernel without it
// as an argument sets a flag there.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 4096, Rounds = 8;

__managed__ int *errors;

__host__ __device__ inline void checkAt(unsigned i, const float *x) {
  if (x[i] < 0)
    *errors = 1;
}
__global__ void check(const float *x) { checkAt(globalThread(), x); }
SIMULATED(check, checkAt)

int main() {
  std::vector<float> values = noise(N);
  float *x;
  int *flag, seen = 0, failed = 0;
  CHECK(cudaMalloc(&x, 4 * N));
  CHECK(cudaMalloc(&flag, sizeof(int)));
  errors = flag;
  for (int round = 0; round < Rounds; ++round) {
    for (float &value : values)
      value += 1;
    if (round == Rounds - 1)
      values[7] = -1;
    CHECK(cudaMemcpy(x, values.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    check<<<N / 256, 256>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    seen += round;
  }
  CHECK(cudaMemcpy(&failed, flag, sizeof(int), cudaMemcpyDeviceToHost));
  printf("%d %d\n", seen, failed);
  CHECK(cudaFree(x));
  CHECK(cudaFree(flag));
}
