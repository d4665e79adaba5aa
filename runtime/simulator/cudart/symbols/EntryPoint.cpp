// Functions of the driver API by name.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/RuntimeCall.h"

using namespace gpuinstr::sim;

namespace {

cudaError_t find(const char *Name, void **Out, unsigned Version, unsigned long long Flags,
                 cudaDriverEntryPointQueryResult *Status) {
  CUdriverProcAddressQueryResult Found = CU_GET_PROC_ADDRESS_SUCCESS;
  CUresult R = cuGetProcAddress(Name, Out, static_cast<int>(Version), Flags, &Found);
  if (R)
    return toError(R);
  if (Status)
    *Status = static_cast<cudaDriverEntryPointQueryResult>(Found);
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char *Name, void **Out,
                                                       unsigned Version, unsigned long long Flags,
                                                       cudaDriverEntryPointQueryResult *Status) {
  return runtimeCall(__func__, [&] { return find(Name, Out, Version, Flags, Status); });
}

cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion_ptsz(
    const char *Name, void **Out, unsigned Version, unsigned long long Flags,
    cudaDriverEntryPointQueryResult *Status) {
  // Compiled for per-thread streams, the default search finds the per-thread functions.
  unsigned long long Wanted =
      Flags ? Flags : static_cast<unsigned long long>(cudaEnablePerThreadDefaultStream);
  return runtimeCall(__func__, [&] { return find(Name, Out, Version, Wanted, Status); });
}

cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char *Name, void **Out,
                                              unsigned long long Flags,
                                              cudaDriverEntryPointQueryResult *Status) {
  return cudaGetDriverEntryPointByVersion(Name, Out, CUDART_VERSION, Flags, Status);
}

cudaError_t CUDARTAPI cudaGetDriverEntryPoint_ptsz(const char *Name, void **Out,
                                                   unsigned long long Flags,
                                                   cudaDriverEntryPointQueryResult *Status) {
  return cudaGetDriverEntryPointByVersion_ptsz(Name, Out, CUDART_VERSION, Flags, Status);
}

} // extern "C"
