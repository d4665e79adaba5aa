// Calls of code that is not instrumented.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unseen.h"

#include <cuda_runtime_api.h>

#include <stdlib.h>

static void must(cudaError_t status) {
  if (status != cudaSuccess)
    abort();
}

extern "C" {
void unseenSet(void *d_memory, int value, size_t bytes) {
  must(cudaMemset(d_memory, value, bytes));
}
void unseenUpload(void *d_memory, const void *from, size_t bytes) {
  must(cudaMemcpy(d_memory, from, bytes, cudaMemcpyHostToDevice));
}
}
