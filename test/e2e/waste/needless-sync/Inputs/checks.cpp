// Checks what it is given; the unit that calls it does not show how.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" void checkStatus(cudaError_t error, const char *file, int line) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
  exit(1);
}

bool isFine(cudaError_t error) { return error == cudaSuccess; }

/// Is told more than a status: it might be a clock's keeper.
void note(cudaError_t error, double *seconds) { *seconds += error == cudaSuccess; }
