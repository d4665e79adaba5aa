// The address of a flag gets into a table by halves, by two sets or two copies of four bytes, and a
// kernel writes the flag through the table.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <cuda.h>
#include <stdio.h>

__global__ void setIf(int *const *table, int on) {
  if (on)
    **table = 1;
}
inline void nothing(unsigned, int *const *, int) {}
SIMULATED(setIf, nothing)

template <class Put> void zeroAndLook(int on, Put put) {
  int *d_flag, flag = 0, set = 0;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  int **d_table;
  CHECK(cudaMalloc(&d_table, sizeof(*d_table)));
  const auto address = reinterpret_cast<unsigned long long>(d_flag);
  auto *place = reinterpret_cast<unsigned *>(d_table);
  put(place, unsigned(address));
  put(place + 1, unsigned(address >> 32));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    setIf<<<1, 1>>>(d_table, on);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  printf("set %d\n", set);
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_table));
  CHECK(cudaDeviceReset());
}

int main(int argc, char **) {
  zeroAndLook(argc - 1, [](unsigned *place, unsigned half) {
    cuMemsetD32(reinterpret_cast<CUdeviceptr>(place), half, 1);
  });
  zeroAndLook(argc - 1, [](unsigned *place, unsigned half) {
    CHECK(cudaMemcpy(place, &half, sizeof(half), cudaMemcpyHostToDevice));
  });
}
