// Frees of addresses that CUDA never handed out.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: invalid-free proven line=@interior count=1 error=cudaErrorInvalidValue
// EXPECT: invalid-free proven line=@host count=1 error=cudaErrorInvalidValue
// EXPECT-ALL
// EXPECT-NO[twin]: invalid-free
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static int failures;
static void tryFree(cudaError_t status) {
  if (status != cudaSuccess)
    ++failures;
}

int main() {
  char *d_data;
  CHECK(cudaMalloc(&d_data, 4096));
  char *h_data = static_cast<char *>(malloc(4096));
#ifndef FIXED
  tryFree(cudaFree(d_data + 1024)); // @interior
  tryFree(cudaFreeHost(h_data)); // @host
#endif
  tryFree(cudaFree(d_data));
  free(h_data);
  printf("%d failures, then %s\n", failures, cudaGetErrorName(cudaGetLastError()));
}
