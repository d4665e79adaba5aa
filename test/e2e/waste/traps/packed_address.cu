// A kernel makes the address of a flag of bytes at an odd place of a struct that it gets by value.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <stdio.h>
#include <string.h>

struct Packed {
  unsigned char kind, address[8];
};

__global__ void setIf(Packed packed, int on) {
  unsigned long long address = 0;
  for (int i = 0; i < 8; ++i)
    address |= static_cast<unsigned long long>(packed.address[i]) << 8 * i;
  if (on)
    *reinterpret_cast<int *>(address) = 1;
}
inline void nothing(unsigned, Packed, int) {}
SIMULATED(setIf, nothing)

int main(int argc, char **) {
  int *d_flag, flag = 0, set = 0;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  Packed packed = {1, {}};
  memcpy(packed.address, &d_flag, sizeof(d_flag));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    setIf<<<1, 1>>>(packed, argc - 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  printf("set %d\n", set);
  CHECK(cudaFree(d_flag));
}
