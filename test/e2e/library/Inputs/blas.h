/* Some of cuBLAS's functions, as cublas_v2.h and cublas.h declare them: so that it need not be installed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasContext *cublasHandle_t;
int cublasCreate_v2(cublasHandle_t *handle);
int cublasDestroy_v2(cublasHandle_t handle);
/* x *= alpha */
int cublasSscal_v2(cublasHandle_t handle, int n, const float *alpha, float *x, int incx);
/* y += alpha * x */
int cublasSaxpy_v2(cublasHandle_t handle, int n, const float *alpha, const float *x, int incx, float *y, int incy);
void cublasSscal(int n, float alpha, float *x, int incx);

#ifdef __cplusplus
}
#endif
