// What cuBLAS gets as const it only reads: what is uploaded there again and again is proven. The rest it may write.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// SHARED-PLAIN: libcublas.so.13 ../../library/Inputs/blas.cpp
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@read variable=d_x count=39
// EXPECT-NO: noop-copy proven variable=d_y
// EXPECT-NO: dead-copy
// EXPECT-NO[twin]: noop-copy variable=d_x
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "../../library/Inputs/blas.h"
#include <cuda_runtime.h>

static void axpy(cublasHandle_t blas, const float *x, float *y, int n) {
  const float one = 1;
  cublasSaxpy_v2(blas, n, &one, x, 1, y, 1);
}

int main() {
  constexpr int N = 1 << 16;
  std::vector<float> x = noise(N, 1), y(N), back(1);
  float *d_x, *d_y, sum = 0;
  CHECK(cudaMalloc(&d_x, 4 * N));
  CHECK(cudaMalloc(&d_y, 4 * N));
  cublasHandle_t blas;
  cublasCreate_v2(&blas);
  for (int round = 0; round < 40; ++round) {
#ifdef FIXED
    x[round] += 1;
#endif
    CHECK(cudaMemcpy(d_x, x.data(), 4 * N, cudaMemcpyHostToDevice)); // @read
    CHECK(cudaMemcpy(d_y, y.data(), 4 * N, cudaMemcpyHostToDevice));
    axpy(blas, d_x, d_y, N);
    CHECK(cudaMemcpy(back.data(), d_y + round, 4, cudaMemcpyDeviceToHost));
    sum += back[0];
  }
  cublasDestroy_v2(blas);
  printf("%.3f\n", sum);
  CHECK(cudaFree(d_y));
  CHECK(cudaFree(d_x));
}
