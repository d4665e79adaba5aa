// Copies in a stream, and waits for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_E2E_PROCESS_WORK_H
#define GPUINSTR_TEST_E2E_PROCESS_WORK_H

#include "../../Inputs/check.h"

inline void work() {
  float host[256] = {};
  void *d_x = nullptr, *d_y = nullptr;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&d_x, sizeof host));
  CHECK(cudaMalloc(&d_y, sizeof host));
  for (int i = 0; i < 4; ++i) {
    host[i] = float(i);
    CHECK(cudaMemcpyAsync(d_x, host, sizeof host, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_y, d_x, sizeof host, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaStreamDestroy(stream));
}

#endif
