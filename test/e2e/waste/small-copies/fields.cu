// A structure of arrays is uploaded row by row, where one copy would do.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: small-copies advice function=main line=@row count>=1 bytes=24KiB
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Rows = 24, Columns = 256;

__host__ __device__ inline void columnAt(unsigned i, const float *rows, float *sum) {
  sum[i] = 0;
  for (int row = 0; row < Rows; ++row)
    sum[i] += rows[row * Columns + i];
}
__global__ void columns(const float *rows, float *sum) { columnAt(globalThread(), rows, sum); }
SIMULATED(columns, columnAt)

int main() {
  std::vector<float> rows = noise(Rows * Columns), sum(Columns);
  float *d_rows, *d_sum;
  CHECK(cudaMalloc(&d_rows, 4 * Rows * Columns));
  CHECK(cudaMalloc(&d_sum, 4 * Columns));
#ifdef FIXED
  CHECK(cudaMemcpy(d_rows, rows.data(), 4 * Rows * Columns, cudaMemcpyHostToDevice));
#else
  for (int row = 0; row < Rows; ++row)
    CHECK(cudaMemcpy(d_rows + row * Columns, &rows[row * Columns], 4 * Columns, cudaMemcpyHostToDevice)); // @row
#endif
  columns<<<1, Columns>>>(d_rows, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum.data(), d_sum, 4 * Columns, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(sum));
  CHECK(cudaFree(d_rows));
  CHECK(cudaFree(d_sum));
}
