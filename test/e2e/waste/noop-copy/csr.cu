// A power iteration uploads its CSR matrix before every product.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=upload line=@rows caller=@product count=7
// EXPECT: noop-copy proven function=upload line=@columns caller=@product count=7 bytes=14680064
// EXPECT: noop-copy proven function=upload line=@values caller=@product count=7 bytes=14680064
// EXPECT-ALL
// EXPECT-NO[twin]: * advice
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int Rows = 1 << 16, PerRow = 8;

struct Csr {
  std::vector<int> rows, columns;
  std::vector<float> values;
};
struct DeviceCsr {
  int *rows, *columns;
  float *values;
};

__host__ __device__ inline void rowAt(unsigned i, const int *rows, const int *columns,
                                      const float *values, const float *x, float *y) {
  float sum = 0;
  for (int k = rows[i]; k < rows[i + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[i] = sum;
}
__global__ void product(const int *rows, const int *columns, const float *values, const float *x,
                        float *y) {
  rowAt(globalThread(), rows, columns, values, x, y);
}
SIMULATED(product, rowAt)

static void upload(const Csr &m, DeviceCsr &d) {
  CHECK(cudaMemcpy(d.rows, m.rows.data(), m.rows.size() * 4, cudaMemcpyHostToDevice)); // @rows
  CHECK(cudaMemcpy(d.columns, m.columns.data(), m.columns.size() * 4, cudaMemcpyHostToDevice)); // @columns
  CHECK(cudaMemcpy(d.values, m.values.data(), m.values.size() * 4, cudaMemcpyHostToDevice)); // @values
}

int main() {
  Csr m;
  m.values = noise(Rows * PerRow);
  for (int i = 0; i < Rows * PerRow; ++i)
    m.columns.push_back(int((i * 2654435761u) >> 16));
  for (int i = 0; i <= Rows; ++i)
    m.rows.push_back(i * PerRow);
  DeviceCsr d;
  float *d_x, *d_y;
  std::vector<float> x = noise(Rows, 7);
  CHECK(cudaMalloc(&d.rows, m.rows.size() * 4));
  CHECK(cudaMalloc(&d.columns, m.columns.size() * 4));
  CHECK(cudaMalloc(&d.values, m.values.size() * 4));
  CHECK(cudaMalloc(&d_x, Rows * 4));
  CHECK(cudaMalloc(&d_y, Rows * 4));
  CHECK(cudaMemcpy(d_x, x.data(), Rows * 4, cudaMemcpyHostToDevice));
  for (int round = 0; round < 8; ++round) {
#ifdef FIXED
    if (round == 0)
#endif
      upload(m, d); // @product
    product<<<Rows / 128, 128>>>(d.rows, d.columns, d.values, d_x, d_y);
    CHECK(cudaGetLastError());
    std::swap(d_x, d_y);
  }
  CHECK(cudaMemcpy(x.data(), d_x, Rows * 4, cudaMemcpyDeviceToHost));
  printf("x[1]=%g\n", x[1]);
  for (void *p : {(void *)d.rows, (void *)d.columns, (void *)d.values, (void *)d_x, (void *)d_y})
    CHECK(cudaFree(p));
}
