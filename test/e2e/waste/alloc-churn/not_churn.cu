// Trap: many allocations at one site that live together, grow by half each time, or are two
// cycles only; arrays that live together.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-CLEAN
// EXPECT-NO: alloc-churn
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__host__ __device__ inline void touchAt(unsigned i, char *block) { block[i] = char(i); }
__global__ void touch(char *block) { touchAt(globalThread(), block); }
SIMULATED(touch, touchAt)

static char *made(size_t bytes) {
  char *block;
  CHECK(cudaMalloc(&block, bytes));
  touch<<<1, 256>>>(block);
  CHECK(cudaGetLastError());
  return block;
}

int main() {
  std::vector<char *> together;
  for (int i = 0; i < 10; ++i)
    together.push_back(made(1 << 20));
  for (char *block : together)
    CHECK(cudaFree(block));
  for (size_t bytes = 4096; bytes < (1 << 20); bytes += bytes / 2) { // 14 times
    char *block;
    CHECK(cudaMalloc(&block, bytes));
    touch<<<1, 256>>>(block);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(block));
  }
  for (int i = 0; i < 2; ++i) {
    char *block;
    CHECK(cudaMalloc(&block, 1 << 20));
    touch<<<1, 256>>>(block);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(block));
  }
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t tables[5];
  for (cudaArray_t &table : tables)
    CHECK(cudaMallocArray(&table, &format, 64, 64));
  for (cudaArray_t table : tables)
    CHECK(cudaFreeArray(table));
  puts("done");
}
