// A function that calls itself 50,000 times and asks CUDA for something in each: the stack that it takes stays nearly what
// it was, 8 MiB suffice.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// EXPECT-CLEAN
// EXPECT-SITE: kind=set function=clearFrom line=@clear calls=1001
#include "../Inputs/check.h"

static void *d_row;

__attribute__((noinline)) static int clearFrom(int row) {
  if (row % 50 == 0)
    CHECK(cudaMemset(d_row, row, 16)); // @clear
  return row == 0 ? 0 : clearFrom(row - 1) + 1;
}

int main() {
  CHECK(cudaMalloc(&d_row, 16));
  char out[16];
  printf("%d\n", clearFrom(50000));
  CHECK(cudaMemcpy(out, d_row, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_row));
}
