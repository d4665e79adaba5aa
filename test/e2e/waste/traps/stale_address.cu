// A table keeps the address of a flag that was freed; the next flag gets the same place, and a
// kernel writes it through the table.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <stdio.h>

struct Table {
  int *flag;
  long spare;
};

__global__ void setIf(const Table *table, int on) {
  if (on)
    *table->flag = 1;
}
inline void nothing(unsigned, const Table *, int) {}
SIMULATED(setIf, nothing)

int main(int argc, char **) {
  int *d_first, *d_flag, flag = 0, set = 0;
  CHECK(cudaMalloc(&d_first, sizeof(int)));
  const Table table = {d_first, 1};
  Table *d_table, *d_moved;
  CHECK(cudaMalloc(&d_table, sizeof(table)));
  CHECK(cudaMalloc(&d_moved, sizeof(table)));
  CHECK(cudaMemcpy(d_table, &table, sizeof(table), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_moved, d_table, sizeof(table), cudaMemcpyDeviceToDevice));
  CHECK(cudaFree(d_first));
  CHECK(cudaFree(d_table));
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    setIf<<<1, 1>>>(d_moved, argc - 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  printf("set %d\n", set);
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_moved));
}
