// Stands for cuBLAS. Scaling by 0 is all that it can do; by 1, there is nothing to do.
// SPDX-License-Identifier: Apache-2.0
#include "blas.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

int cublasCreate_v2(cublasHandle_t *handle) {
  *handle = static_cast<cublasHandle_t>(malloc(64));
  return 0;
}
int cublasDestroy_v2(cublasHandle_t handle) {
  free(handle);
  return 0;
}
void cublasSscal(int n, float alpha, float *x, int) {
  if (alpha == 0)
    cudaMemset(x, 0, n * sizeof(float));
}
/* Of y = 0, by 1. */
int cublasSaxpy_v2(cublasHandle_t, int n, const float *, const float *x, int, float *y, int) {
  return cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
int cublasSscal_v2(cublasHandle_t, int n, const float *alpha, float *x, int incx) {
  cublasSscal(n, *alpha, x, incx);
  return 0;
}
