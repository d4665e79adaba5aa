// Attributes of pointers; advice and prefetching of managed memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/PointerAttributes.h"

#include "cudart/RuntimeCall.h"

using namespace gpuinstr::sim;

namespace {

CUmemLocation toDriver(cudaMemLocation Location) {
  CUmemLocation Out = {};
  Out.type = static_cast<CUmemLocationType>(Location.type);
  Out.id = Location.id;
  return Out;
}

CUresult prefetchBatch(CUcontext C, void **Addresses, size_t *Sizes, size_t Count,
                       cudaMemLocation *Locations, size_t *Indices, size_t LocationCount,
                       cudaStream_t Stream) {
  if (!Addresses || !Sizes || !Count || !Locations || !Indices || !LocationCount || Indices[0])
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0, Use = 0; I < Count; ++I) {
    while (Use + 1 < LocationCount && Indices[Use + 1] <= I)
      ++Use;
    if (CUresult R =
            prefetch(C, toAddress(Addresses[I]), Sizes[I], toDriver(Locations[Use]), Stream))
      return R;
  }
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes *Out, const void *Address) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = {};
    PointerInfo Info;
    if (!pointerInfo(toAddress(Address), &Info)) {
      Out->type = cudaMemoryTypeUnregistered;
      Out->device = cudaInvalidDeviceId;
      Out->hostPointer = const_cast<void *>(Address);
      return CUDA_SUCCESS;
    }
    bool Host = Info.Kind == AllocKind::Pinned || Info.Kind == AllocKind::Registered;
    bool Managed = Info.Kind == AllocKind::Managed;
    Out->type = Host ? cudaMemoryTypeHost : Managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    Out->device = Info.Device;
    Out->devicePointer = const_cast<void *>(Address);
    Out->hostPointer = Host || Managed ? const_cast<void *>(Address) : nullptr;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaMemAdvise(const void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                                    cudaMemLocation Location) {
  return deviceCall(__func__, [&](CUcontext) {
    return advise(toAddress(Address), Bytes, static_cast<CUmem_advise>(Advice), toDriver(Location));
  });
}

cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *Address, size_t Bytes,
                                           cudaMemLocation Location, unsigned Flags,
                                           cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (Flags)
      return CUDA_ERROR_INVALID_VALUE;
    return prefetch(C, toAddress(Address), Bytes, toDriver(Location), Stream);
  });
}

cudaError_t CUDARTAPI cudaMemPrefetchBatchAsync(void **Addresses, size_t *Sizes, size_t Count,
                                                cudaMemLocation *Locations, size_t *Indices,
                                                size_t LocationCount, unsigned long long Flags,
                                                cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (Flags)
      return CUDA_ERROR_INVALID_VALUE;
    return prefetchBatch(C, Addresses, Sizes, Count, Locations, Indices, LocationCount, Stream);
  });
}

cudaError_t CUDARTAPI cudaMemRangeGetAttribute(void *Out, size_t OutSize,
                                               cudaMemRangeAttribute Attr, const void *Address,
                                               size_t Bytes) {
  return deviceCall(__func__, [&](CUcontext) {
    return rangeAttribute(Out, OutSize, static_cast<CUmem_range_attribute>(Attr),
                          toAddress(Address), Bytes);
  });
}

cudaError_t CUDARTAPI cudaMemRangeGetAttributes(void **Out, size_t *OutSizes,
                                                cudaMemRangeAttribute *Attrs, size_t Count,
                                                const void *Address, size_t Bytes) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!Out || !OutSizes || !Attrs || !Count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t I = 0; I < Count; ++I)
      if (CUresult R =
              rangeAttribute(Out[I], OutSizes[I], static_cast<CUmem_range_attribute>(Attrs[I]),
                             toAddress(Address), Bytes))
        return R;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
