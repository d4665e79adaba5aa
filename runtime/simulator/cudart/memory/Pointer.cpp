// Attributes of pointers; advice and prefetching of managed memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/PointerAttributes.h"

#include "cudart/RuntimeCall.h"

using namespace gpuinstr::sim;

namespace {

CUmemLocation toDriver(cudaMemLocation location) {
  CUmemLocation out = {};
  out.type = static_cast<CUmemLocationType>(location.type);
  out.id = location.id;
  return out;
}

CUresult prefetchBatch(CUcontext c, void **addresses, size_t *sizes, size_t count,
                       cudaMemLocation *locations, size_t *indices, size_t locationCount,
                       cudaStream_t stream) {
  if (!addresses || !sizes || !count || !locations || !indices || !locationCount || indices[0])
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0, use = 0; i < count; ++i) {
    while (use + 1 < locationCount && indices[use + 1] <= i)
      ++use;
    if (CUresult r =
            prefetch(c, toAddress(addresses[i]), sizes[i], toDriver(locations[use]), stream))
      return r;
  }
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes *out, const void *address) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = {};
    PointerInfo info;
    if (!pointerInfo(toAddress(address), &info)) {
      out->type = cudaMemoryTypeUnregistered;
      out->device = cudaInvalidDeviceId;
      out->hostPointer = const_cast<void *>(address);
      return CUDA_SUCCESS;
    }
    bool host = info.kind == AllocKind::Pinned || info.kind == AllocKind::Registered;
    bool managed = info.kind == AllocKind::Managed;
    out->type = host ? cudaMemoryTypeHost : managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    out->device = info.device;
    out->devicePointer = const_cast<void *>(address);
    out->hostPointer = host || managed ? const_cast<void *>(address) : nullptr;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaMemAdvise(const void *address, size_t bytes, cudaMemoryAdvise advice,
                                    cudaMemLocation location) {
  return deviceCall(__func__, [&](CUcontext) {
    return advise(toAddress(address), bytes, static_cast<CUmem_advise>(advice), toDriver(location));
  });
}

cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *address, size_t bytes,
                                           cudaMemLocation location, unsigned flags,
                                           cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    return prefetch(c, toAddress(address), bytes, toDriver(location), stream);
  });
}

cudaError_t CUDARTAPI cudaMemPrefetchBatchAsync(void **addresses, size_t *sizes, size_t count,
                                                cudaMemLocation *locations, size_t *indices,
                                                size_t locationCount, unsigned long long flags,
                                                cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    return prefetchBatch(c, addresses, sizes, count, locations, indices, locationCount, stream);
  });
}

cudaError_t CUDARTAPI cudaMemRangeGetAttribute(void *out, size_t outSize,
                                               cudaMemRangeAttribute attr, const void *address,
                                               size_t bytes) {
  return deviceCall(__func__, [&](CUcontext) {
    return rangeAttribute(out, outSize, static_cast<CUmem_range_attribute>(attr),
                          toAddress(address), bytes);
  });
}

cudaError_t CUDARTAPI cudaMemRangeGetAttributes(void **out, size_t *outSizes,
                                                cudaMemRangeAttribute *attrs, size_t count,
                                                const void *address, size_t bytes) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!out || !outSizes || !attrs || !count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
      if (CUresult r =
              rangeAttribute(out[i], outSizes[i], static_cast<CUmem_range_attribute>(attrs[i]),
                             toAddress(address), bytes))
        return r;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
