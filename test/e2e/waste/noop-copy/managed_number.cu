// A flag is cleared in each round, and no kernel gets it: the one in between counts in a __managed__
// variable, into which no address fits.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// OPTIONS: audit=full
// TWIN: FIXED
// EXPECT: noop-copy proven variable=flag count>=5
#include "../../Inputs/kernel.h"

__managed__ int errors;

__host__ __device__ inline void checkAt(unsigned i, const float *x) {
  if (x[i] < 0)
    errors = 1;
}
__global__ void check(const float *x) { checkAt(globalThread(), x); }
SIMULATED(check, checkAt)

#include "../../Inputs/checked_rounds.h"

int main() {
  checkInRounds([](int *) {}, [](int *flag, int round) {
#ifdef FIXED
    if (round == 0)
#endif
      CHECK(cudaMemset(flag, 0, sizeof(int)));
  });
}
