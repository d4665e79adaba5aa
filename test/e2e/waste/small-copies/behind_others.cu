// Three parameters, then a matrix row by row: the rows are what to change, and what is named.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: small-copies advice function=main line=@row count>=1
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Rows = 24, Columns = 256;

__host__ __device__ inline void columnAt(unsigned i, const float *rows, const float *weights,
                                         float *sum) {
  sum[i] = weights[i % 3];
  for (int row = 0; row < Rows; ++row)
    sum[i] += rows[row * Columns + i];
}
__global__ void columns(const float *rows, const float *weights, float *sum) {
  columnAt(globalThread(), rows, weights, sum);
}
SIMULATED(columns, columnAt)

int main() {
  std::vector<float> rows = noise(Rows * Columns), sum(Columns);
  float *d_rows, *d_weights, *d_sum, low = 1, middle = 2, high = 4;
  CHECK(cudaMalloc(&d_rows, 4 * Rows * Columns));
  CHECK(cudaMalloc(&d_weights, 4 * 3));
  CHECK(cudaMalloc(&d_sum, 4 * Columns));
  CHECK(cudaMemcpy(d_weights, &low, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_weights + 1, &middle, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_weights + 2, &high, 4, cudaMemcpyHostToDevice));
#ifdef FIXED
  CHECK(cudaMemcpy(d_rows, rows.data(), 4 * Rows * Columns, cudaMemcpyHostToDevice));
#else
  for (int row = 0; row < Rows; ++row)
    CHECK(cudaMemcpy(d_rows + row * Columns, &rows[row * Columns], 4 * Columns, cudaMemcpyHostToDevice)); // @row
#endif
  columns<<<1, Columns>>>(d_rows, d_weights, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * Columns, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_rows));
  CHECK(cudaFree(d_weights));
  CHECK(cudaFree(d_sum));
}
