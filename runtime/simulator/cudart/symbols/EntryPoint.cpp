// Functions of the driver API by name.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/RuntimeCall.h"

using namespace gpuinstr::sim;

namespace {

cudaError_t find(const char *name, void **out, unsigned version, unsigned long long flags,
                 cudaDriverEntryPointQueryResult *status) {
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  CUresult r = cuGetProcAddress(name, out, static_cast<int>(version), flags, &found);
  if (r)
    return toError(r);
  if (status)
    *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char *name, void **out,
                                                       unsigned version, unsigned long long flags,
                                                       cudaDriverEntryPointQueryResult *status) {
  return runtimeCall(__func__, [&] { return find(name, out, version, flags, status); });
}

cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion_ptsz(
    const char *name, void **out, unsigned version, unsigned long long flags,
    cudaDriverEntryPointQueryResult *status) {
  // Compiled for per-thread streams, the default search finds the per-thread functions.
  unsigned long long wanted =
      flags ? flags : static_cast<unsigned long long>(cudaEnablePerThreadDefaultStream);
  return runtimeCall(__func__, [&] { return find(name, out, version, wanted, status); });
}

cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char *name, void **out,
                                              unsigned long long flags,
                                              cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(name, out, CUDART_VERSION, flags, status);
}

cudaError_t CUDARTAPI cudaGetDriverEntryPoint_ptsz(const char *name, void **out,
                                                   unsigned long long flags,
                                                   cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion_ptsz(name, out, CUDART_VERSION, flags, status);
}

} // extern "C"
