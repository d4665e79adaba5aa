// Stands for the vendor libraries: handles are pointers, a plan is a number.
// SPDX-License-Identifier: Apache-2.0
#include "vendor.h"

#include <stdlib.h>
#include <vector>

namespace {

bool InGroup;
std::vector<ncclComm_t *> Later;
int Plans;

template <class Handle> vendorStatus make(Handle *handle) {
  *handle = static_cast<Handle>(malloc(64));
  return VENDOR_SUCCESS;
}
template <class Handle> vendorStatus end(Handle handle) {
  if (!handle)
    return VENDOR_FAILURE;
  free(handle);
  return VENDOR_SUCCESS;
}

} // namespace

vendorStatus cublasCreate(cublasHandle_t *handle) { return make(handle); }
vendorStatus cublasDestroy(cublasHandle_t handle) { return end(handle); }
vendorStatus cublasLtCreate(cublasLtHandle_t *handle) { return make(handle); }
vendorStatus cublasLtDestroy(cublasLtHandle_t handle) { return end(handle); }
vendorStatus cufftPlan1d(cufftHandle *plan, int nx, int, int) {
  if (nx <= 0)
    return VENDOR_FAILURE;
  *plan = Plans++;
  return VENDOR_SUCCESS;
}
vendorStatus cufftDestroy(cufftHandle plan) {
  return plan < Plans ? VENDOR_SUCCESS : VENDOR_FAILURE;
}
vendorStatus curandCreateGenerator(curandGenerator_t *generator, int) { return make(generator); }
vendorStatus curandDestroyGenerator(curandGenerator_t generator) { return end(generator); }
vendorStatus cusparseCreate(cusparseHandle_t *handle) { return make(handle); }
vendorStatus cusparseDestroy(cusparseHandle_t handle) { return end(handle); }
vendorStatus cusolverDnCreate(cusolverDnHandle_t *handle) { return make(handle); }
vendorStatus cusolverDnDestroy(cusolverDnHandle_t handle) { return end(handle); }
vendorStatus cudnnCreate(cudnnHandle_t *handle) { return make(handle); }
vendorStatus cudnnDestroy(cudnnHandle_t handle) { return end(handle); }
vendorStatus ncclCommInitRank(ncclComm_t *comm, int, ncclUniqueId, int) {
  if (!InGroup)
    return make(comm);
  Later.push_back(comm);
  return VENDOR_SUCCESS;
}
vendorStatus ncclCommInitAll(ncclComm_t *comms, int devices, const int *) {
  for (int i = 0; i < devices; ++i)
    make(&comms[i]);
  return VENDOR_SUCCESS;
}
vendorStatus ncclGroupStart() {
  InGroup = true;
  return VENDOR_SUCCESS;
}
vendorStatus ncclGroupEnd() {
  InGroup = false;
  for (ncclComm_t *comm : Later)
    make(comm);
  Later.clear();
  return VENDOR_SUCCESS;
}
vendorStatus ncclCommDestroy(ncclComm_t comm) { return end(comm); }
