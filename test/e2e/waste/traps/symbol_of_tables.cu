// A variable holds the address of a table, and the table, or one that it names, that of a flag: a
// kernel without arguments reaches the flag over two and three steps, whichever address came last.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-STDOUT: set 0
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

__device__ int **g_table;
__device__ int ***g_tables;

__global__ void setInTable(int on) {
  if (on)
    **g_table = 1;
}
__global__ void setInTables(int on) {
  if (on)
    ***g_tables = 1;
}
inline void nothing(unsigned, int) {}
inline void nothingEither(unsigned, int) {}
SIMULATED(setInTable, nothing)
SIMULATED(setInTables, nothingEither)

static int launches, set;

template <typename T> static T *made() {
  T *memory;
  CHECK(cudaMalloc(&memory, sizeof(T)));
  return memory;
}

template <typename T> static void put(T *place, T value) {
  CHECK(cudaMemcpy(place, &value, sizeof(value), cudaMemcpyHostToDevice));
}

/// `way` links them; true: over three steps.
template <typename Way> static void use(Way way) {
  int *d_flag = made<int>(), flag;
  int **d_table = made<int *>(), ***d_tables = made<int **>();
  const bool isDeep = way(d_flag, d_table, d_tables);
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    if (isDeep)
      setInTables<<<1, 1>>>(launches < 0);
    else
      setInTable<<<1, 1>>>(launches < 0);
    CHECK(cudaGetLastError());
    ++launches;
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_tables));
  CHECK(cudaDeviceReset()); // what is known of addresses is forgotten
}

int main() {
  use([](int *d_flag, int **d_table, int ***) {
    put(d_table, d_flag);
    CHECK(cudaMemcpyToSymbol(g_table, &d_table, sizeof(d_table)));
    return false;
  });
  use([](int *d_flag, int **d_table, int ***) { // the flag's address comes last
    CHECK(cudaMemcpyToSymbol(g_table, &d_table, sizeof(d_table)));
    put(d_table, d_flag);
    return false;
  });
  use([](int *d_flag, int **d_table, int ***) { // ... within the device
    int **d_other = made<int *>();
    put(d_other, d_flag);
    CHECK(cudaMemcpyToSymbol(g_table, &d_table, sizeof(d_table)));
    CHECK(cudaMemcpy(d_table, d_other, sizeof(int *), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(d_other));
    return false;
  });
  use([](int *d_flag, int **d_table, int ***d_tables) { // the table's comes last
    put(d_table, d_flag);
    CHECK(cudaMemcpyToSymbol(g_tables, &d_tables, sizeof(d_tables)));
    put(d_tables, d_table);
    return true;
  });
  use([](int *d_flag, int **d_table, int ***d_tables) { // the flag's comes last
    put(d_tables, d_table);
    CHECK(cudaMemcpyToSymbol(g_tables, &d_tables, sizeof(d_tables)));
    put(d_table, d_flag);
    return true;
  });
  use([](int *d_flag, int **d_table, int ***) { // out of pinned memory, which nobody searches
    int **table;
    CHECK(cudaMallocHost(&table, sizeof(int *)));
    *table = d_flag;
    CHECK(cudaMemcpyAsync(d_table, table, sizeof(int *), cudaMemcpyHostToDevice, nullptr));
    CHECK(cudaStreamSynchronize(nullptr));
    CHECK(cudaMemcpyToSymbol(g_table, &d_table, sizeof(d_table)));
    CHECK(cudaFreeHost(table));
    return false;
  });
  use([](int *d_flag, int **d_table, int ***) {
    int **table;
    CHECK(cudaMallocHost(&table, sizeof(int *)));
    *table = d_flag;
    CHECK(cudaMemcpyToSymbol(g_table, &d_table, sizeof(d_table)));
    CHECK(cudaMemcpyAsync(d_table, table, sizeof(int *), cudaMemcpyHostToDevice, nullptr));
    CHECK(cudaStreamSynchronize(nullptr));
    CHECK(cudaFreeHost(table));
    return false;
  });
  printf("set %d\n", set);
}
