// Where kernels reach the host's memory: a table of addresses is a variable of a program whose
// variables lie below 4 GiB, and the kernel gets its address in a struct.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// FLAGS: -no-pie
// ONLY: simulator
// ENV: GPUINSTR_SIM=host=reached
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <stdio.h>

struct Arguments {
  int *const *table;
  int rounds;
};

__global__ void setIf(Arguments arguments, int on) {
  if (on)
    **arguments.table = arguments.rounds;
}
inline void nothing(unsigned, Arguments, int) {}
SIMULATED(setIf, nothing)

int *table;

int main(int argc, char **) {
  int flag = 0, set = 0;
  CHECK(cudaMalloc(&table, sizeof(int)));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(table, 0, sizeof(int)));
    setIf<<<1, 1>>>({&table, 5}, argc - 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&flag, table, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  printf("set %d\n", set);
  CHECK(cudaFree(table));
}
