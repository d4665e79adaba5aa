/* The calls that make and end vendor libraries' handles, as their headers declare them: so that no
   library need be installed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { VENDOR_SUCCESS = 0, VENDOR_FAILURE = 1 } vendorStatus;
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef int cufftHandle;
typedef struct curandGenerator_st *curandGenerator_t;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cudnnContext *cudnnHandle_t;
typedef struct ncclComm *ncclComm_t;
typedef struct {
  char internal[128];
} ncclUniqueId;

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
vendorStatus cublasCreate_v2(cublasHandle_t *handle);
vendorStatus cublasDestroy_v2(cublasHandle_t handle);
vendorStatus cublasLtCreate(cublasLtHandle_t *handle);
vendorStatus cublasLtDestroy(cublasLtHandle_t handle);
vendorStatus cufftPlan1d(cufftHandle *plan, int nx, int type, int batch);
vendorStatus cufftDestroy(cufftHandle plan);
vendorStatus curandCreateGenerator(curandGenerator_t *generator, int type);
vendorStatus curandDestroyGenerator(curandGenerator_t generator);
vendorStatus cusparseCreate(cusparseHandle_t *handle);
vendorStatus cusparseDestroy(cusparseHandle_t handle);
vendorStatus cusolverDnCreate(cusolverDnHandle_t *handle);
vendorStatus cusolverDnDestroy(cusolverDnHandle_t handle);
vendorStatus cudnnCreate(cudnnHandle_t *handle);
vendorStatus cudnnDestroy(cudnnHandle_t handle);
vendorStatus ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
vendorStatus ncclCommInitAll(ncclComm_t *comms, int devices, const int *list);
vendorStatus ncclGroupStart(void);
vendorStatus ncclGroupEnd(void);
vendorStatus ncclCommDestroy(ncclComm_t comm);

#ifdef __cplusplus
}
#endif
