// A copy to what its wrapper makes and returns, or to a part of it, has the name of who receives it.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload proven function=main line=@weights via=@copy variable=weights count=3
// EXPECT: reupload proven function=main line=@bias via=@copy variable=net.bias count=3
// EXPECT: reupload proven function=main line=@matrix via=@member variable=matrix.cells count=3
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <vector>

static float *onDevice(const float *from, size_t n) {
  float *made;
  CHECK(cudaMalloc(&made, n * sizeof *made));
  CHECK(cudaMemcpy(made, from, n * sizeof *made, cudaMemcpyHostToDevice)); // @copy
  return made;
}

static float *handedOn(const float *from, size_t n) { return onDevice(from, n); }

struct Matrix {
  float *cells;
  size_t rows;
};

static Matrix matrixOf(const float *from, size_t n) {
  Matrix made;
  made.rows = n;
  CHECK(cudaMalloc(&made.cells, n * sizeof *made.cells));
  CHECK(cudaMemcpy(made.cells, from, n * sizeof *made.cells, cudaMemcpyHostToDevice)); // @member
  return made;
}

struct Net {
  float *bias;
};

int main() {
  std::vector<float> h_weights(1024), h_bias(1024), h_cells(1024), back(1024);
  for (int i = 0; i < 1024; ++i)
    h_weights[i] = float(i), h_bias[i] = float(-i), h_cells[i] = float(i) / 2;
#ifdef FIXED
  constexpr int Times = 1;
#else
  constexpr int Times = 4;
#endif
  for (int i = 0; i < Times; ++i) {
    float *weights = onDevice(h_weights.data(), 1024); // @weights
    Net net;
    net.bias = handedOn(h_bias.data(), 1024); // @bias
    Matrix matrix = matrixOf(h_cells.data(), 1024); // @matrix
    for (float *each : {weights, net.bias, matrix.cells}) {
      CHECK(cudaMemcpy(back.data(), each, 4096, cudaMemcpyDeviceToHost));
      CHECK(cudaFree(each));
    }
    printf("%g\n", back[3]);
  }
}
