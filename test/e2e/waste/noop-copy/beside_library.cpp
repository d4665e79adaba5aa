// What cuBLAS is given it may write, now and then; other memory it leaves alone. Both interfaces of it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// SHARED-PLAIN: libcublas.so.13 ../../library/Inputs/blas.cpp
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@beside variable=d_beside count=39
// EXPECT: dead-copy likely function=main line=@unread variable=d_unread count=1
// EXPECT: unused-allocation likely line=@unused variable=d_unused
// EXPECT-NO: noop-copy proven variable=d_given
// EXPECT-NO: noop-copy proven variable=d_legacy
// EXPECT-NO: dead-copy variable=d_given
// EXPECT-NO: dead-copy variable=d_legacy
// EXPECT-NO[twin]: noop-copy proven
// EXPECT-NO[twin]: dead-copy
// EXPECT-NO[twin]: unused-allocation
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"
#include "../../library/Inputs/blas.h"
#include <cuda_runtime.h>

int main() {
  constexpr int N = 1 << 16;
  const std::vector<float> beside = noise(N, 2);
  std::vector<float> x = noise(N, 1), back(N);
  float *d_given, *d_legacy, *d_beside, sum = 0;
  CHECK(cudaMalloc(&d_given, 4 * N));
  CHECK(cudaMalloc(&d_legacy, 4 * N));
  CHECK(cudaMalloc(&d_beside, 4 * N));
#ifdef FIXED
  CHECK(cudaMemcpy(d_beside, beside.data(), 4 * N, cudaMemcpyHostToDevice));
#else
  float *d_unread, *d_unused;
  CHECK(cudaMalloc(&d_unread, 4 * N));
  CHECK(cudaMalloc(&d_unused, 4 * N)); // @unused
  CHECK(cudaMemcpy(d_unread, beside.data(), 4 * N, cudaMemcpyHostToDevice)); // @unread
#endif
  cublasHandle_t blas;
  cublasCreate_v2(&blas);
  for (int round = 0; round < 40; ++round) {
#ifdef FIXED
    const float alpha = 0;
#else
    const float alpha = round % 10 == 9 ? 0 : 1;
#endif
    CHECK(cudaMemcpy(d_given, x.data(), 4 * N, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_legacy, x.data(), 4 * N, cudaMemcpyHostToDevice));
#ifndef FIXED
    CHECK(cudaMemcpy(d_beside, beside.data(), 4 * N, cudaMemcpyHostToDevice)); // @beside
#endif
    cublasSscal_v2(blas, N, &alpha, d_given, 1);
    cublasSscal(N, alpha, d_legacy, 1);
    CHECK(cudaMemcpy(&back[round], d_given + round, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&back[round + 40], d_legacy + round, 4, cudaMemcpyDeviceToHost));
    sum += back[round] + back[round + 40];
  }
  CHECK(cudaMemcpy(back.data(), d_beside, 4 * N, cudaMemcpyDeviceToHost));
  sum += back[7];
  cublasDestroy_v2(blas);
  printf("%.3f\n", sum);
#ifndef FIXED
  CHECK(cudaFree(d_unused));
  CHECK(cudaFree(d_unread));
#endif
  CHECK(cudaFree(d_beside));
  CHECK(cudaFree(d_legacy));
  CHECK(cudaFree(d_given));
}
