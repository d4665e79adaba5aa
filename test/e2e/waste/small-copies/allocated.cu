// Many small tables are uploaded, each into memory of its own that is made just before: one buffer
// and one copy would do. Silent: the few arrays that a program begins with, and memory that goes
// again between.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: small-copies advice function=main line=@table count=96 bytes=23808
// EXPECT-NO: small-copies function=few
// EXPECT-NO: small-copies function=inTurn
// EXPECT-NO[twin]: small-copies
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Tables = 96, Entries = 62;

__host__ __device__ inline void sumAt(unsigned i, const float *const *tables, float *sum) {
  for (int table = 0; table < Tables; ++table)
    sum[i] += i < Entries ? tables[table][i] : 0;
}
__global__ void sums(const float *const *tables, float *sum) { sumAt(globalThread(), tables, sum); }
SIMULATED(sums, sumAt)

/// What most programs begin with.
static float few(const std::vector<float> &x) {
  float *d_few[12], got = 0;
  for (int i = 0; i < 12; ++i) {
    CHECK(cudaMalloc(&d_few[i], 4 * Entries));
    CHECK(cudaMemcpy(d_few[i], &x[(i + 1) * 99], 4 * Entries, cudaMemcpyHostToDevice));
  }
  for (float *d_one : d_few) {
    float first;
    CHECK(cudaMemcpy(&first, d_one, 4, cudaMemcpyDeviceToHost));
    got += first;
    CHECK(cudaFree(d_one));
  }
  return got;
}

static float inTurn(const std::vector<float> &x) {
  float *d_x, sum = 0;
  for (int i = 0; i < 50; ++i) {
    CHECK(cudaMalloc(&d_x, 4 * Entries));
    CHECK(cudaMemcpy(d_x, &x[i * 77], 4 * Entries, cudaMemcpyHostToDevice));
    float got;
    CHECK(cudaMemcpy(&got, d_x + i, 4, cudaMemcpyDeviceToHost));
    sum += got;
    CHECK(cudaFree(d_x));
  }
  return sum;
}

int main() {
  std::vector<float> x = noise(Tables * Entries), sum(256);
  float **d_tables, *d_sum, *tables[Tables];
#ifdef FIXED
  float *d_all;
  CHECK(cudaMalloc(&d_all, 4 * Tables * Entries));
  CHECK(cudaMemcpy(d_all, x.data(), 4 * Tables * Entries, cudaMemcpyHostToDevice));
  for (int i = 0; i < Tables; ++i)
    tables[i] = d_all + i * Entries;
#else
  for (int i = 0; i < Tables; ++i) {
    CHECK(cudaMalloc(&tables[i], 4 * Entries));
    CHECK(cudaMemcpy(tables[i], &x[i * Entries], 4 * Entries, cudaMemcpyHostToDevice)); // @table
  }
#endif
  CHECK(cudaMalloc(&d_sum, 1024));
  CHECK(cudaMemset(d_sum, 0, 1024));
  CHECK(cudaMalloc(&d_tables, sizeof tables));
  CHECK(cudaMemcpy(d_tables, tables, sizeof tables, cudaMemcpyHostToDevice));
  sums<<<1, 256>>>(d_tables, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum.data(), d_sum, 1024, cudaMemcpyDeviceToHost));
  printf("%08x %g %g\n", checksum(sum), double(few(x)), double(inTurn(x)));
  CHECK(cudaFree(d_tables));
  CHECK(cudaFree(d_sum));
#ifdef FIXED
  CHECK(cudaFree(d_all));
#else
  for (float *d_table : tables)
    CHECK(cudaFree(d_table));
#endif
}
