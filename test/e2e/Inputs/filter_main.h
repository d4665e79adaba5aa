// Uploads a filter's coefficients before every launch, with FIXED once. Who includes this says what
// a launch is: `static void launchFilter(float *coefficients, float *out, int step)`, for N outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.h"
#include "kernel.h"

int main() {
  std::vector<float> coefficients = noise(N, 1), out(N);
  float *d_coefficients, *d_out;
  CHECK(cudaMalloc(&d_coefficients, 4 * N));
  CHECK(cudaMalloc(&d_out, 4 * N));
  for (int step = 1; step <= 12; ++step) {
#ifdef FIXED
    if (step == 1)
#endif
      CHECK(cudaMemcpy(d_coefficients, coefficients.data(), 4 * N, cudaMemcpyHostToDevice)); // @coefficients
    launchFilter(d_coefficients, d_out, step);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, 4 * N, cudaMemcpyDeviceToHost));
    printf("%08x\n", checksum(out));
  }
  CHECK(cudaFree(d_coefficients));
  CHECK(cudaFree(d_out));
}
