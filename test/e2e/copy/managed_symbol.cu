// A __managed__ variable is a symbol like any other: nvcc gives its memory's address for it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: nvcc
// EXPECT-CLEAN
// EXPECT-STDOUT: 1 4 32
// EXPECT-STDOUT: 3 8
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__managed__ int table[8];
__managed__ float one;

int main() {
  int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
  void *address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&bytes, table));
  printf("%d %d %d\n", address == static_cast<void *>(table), table[3], int(bytes));
  one = 3;
  float number = 0;
  CHECK(cudaMemcpyFromSymbol(&number, one, sizeof number));
  CHECK(cudaMemcpyFromSymbol(back, table, sizeof back));
  printf("%g %d\n", number, back[7]);
}
