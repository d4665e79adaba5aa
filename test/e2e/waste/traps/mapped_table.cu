// The address of a flag lies in a table in memory that the program mapped itself, and the table's
// address in a struct that the kernel gets: no allocation is named at the launch.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include "Inputs/physical.h"

struct Table {
  int *flag;
  long spare;
};
struct Arguments {
  const Table *table;
  int rounds;
};

__global__ void setIf(Arguments arguments, int on) {
  if (on)
    *arguments.table->flag = arguments.rounds;
}
inline void nothing(unsigned, Arguments, int) {}
SIMULATED(setIf, nothing)

int main(int argc, char **) {
  int *d_flag, flag = 0, set = 0;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  const Physical memory;
  const CUdeviceptr place = memory.reserve();
  memory.map(place);
  const Table table = {d_flag, 1};
  CHECK(cudaMemcpy(reinterpret_cast<void *>(place), &table, sizeof(table), cudaMemcpyHostToDevice));
  const Arguments arguments = {reinterpret_cast<const Table *>(place), 5};
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    setIf<<<1, 1>>>(arguments, argc - 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  printf("set %d\n", set);
  CHECK(cudaFree(d_flag));
  OK(cuMemUnmap(place, memory.bytes));
  OK(cuMemAddressFree(place, memory.bytes));
  memory.release();
}
