// A flag is cleared in each round, and no kernel gets it: the one in between counts in a __managed__
// variable, into which no address fits.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// OPTIONS: audit=full
// TWIN: FIXED
// EXPECT: noop-copy proven line=@reset count>=5
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 4096, Rounds = 8;

__managed__ int errors;

__host__ __device__ inline void checkAt(unsigned i, const float *x) {
  if (x[i] < 0)
    errors = 1;
}
__global__ void check(const float *x) { checkAt(globalThread(), x); }
SIMULATED(check, checkAt)

int main() {
  std::vector<float> values = noise(N);
  float *x;
  int *flag, seen = 0, failed = 0;
  CHECK(cudaMalloc(&x, 4 * N));
  CHECK(cudaMalloc(&flag, sizeof(int)));
  for (int round = 0; round < Rounds; ++round) {
    for (float &value : values)
      value += 1;
    if (round == Rounds - 1)
      values[7] = -1;
    CHECK(cudaMemcpy(x, values.data(), 4 * N, cudaMemcpyHostToDevice));
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemset(flag, 0, sizeof(int))); // @reset
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
