// A table of addresses is gone before the memory that it named is given anew: a kernel that follows
// what other memory holds finds nothing of that.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT: noop-copy proven count=7 variable=d_scale
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

struct Table {
  float *values;
  long spare;
};

__global__ void setIf(const Table *table, int on) {
  if (on)
    *table->values = 1;
}
inline void nothing(unsigned, const Table *, int) {}
SIMULATED(setIf, nothing)

int main(int argc, char **) {
  const std::vector<float> scale = noise(64);
  const size_t bytes = scale.size() * sizeof(float);
  float *d_first, *d_scale;
  Table *d_table;
  CHECK(cudaMalloc(&d_first, bytes));
  CHECK(cudaMalloc(&d_table, sizeof(Table)));
  const Table table = {d_first, 1}, empty = {};
  CHECK(cudaMemcpy(d_table, &table, sizeof(table), cudaMemcpyHostToDevice));
  setIf<<<1, 1>>>(d_table, argc - 1);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(d_first));
  CHECK(cudaFree(d_table));
  CHECK(cudaMalloc(&d_scale, bytes));
  CHECK(cudaMalloc(&d_table, sizeof(Table)));
  CHECK(cudaMemcpy(d_table, &empty, sizeof(empty), cudaMemcpyHostToDevice));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemcpy(d_scale, scale.data(), bytes, cudaMemcpyHostToDevice));
    setIf<<<1, 1>>>(d_table, argc - 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaFree(d_scale));
  CHECK(cudaFree(d_table));
}
