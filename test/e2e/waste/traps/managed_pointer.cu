// The host stores a buffer's address into a __managed__ variable, by no call; a kernel without it
// as an argument sets a flag there.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-NO: unused-allocation
#include "../../Inputs/kernel.h"

__managed__ int *errors;

__host__ __device__ inline void checkAt(unsigned i, const float *x) {
  if (x[i] < 0)
    *errors = 1;
}
__global__ void check(const float *x) { checkAt(globalThread(), x); }
SIMULATED(check, checkAt)

#include "../../Inputs/checked_rounds.h"

int main() {
  checkInRounds([](int *flag) { errors = flag; }, [](int *flag, int) { CHECK(cudaMemset(flag, 0, sizeof(int))); });
}
