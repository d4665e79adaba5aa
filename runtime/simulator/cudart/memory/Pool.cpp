// Memory pools.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/MemoryPool.h"

#include "cudart/RuntimeCall.h"

using namespace gpuinstr::sim;

namespace {
static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps), "the APIs share this structure");
static_assert(sizeof(cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "and this one");
static_assert(sizeof(cudaMemLocation) == sizeof(CUmemLocation), "and this one");

CUresult deviceOf(const cudaMemLocation *Location, cudaMemAllocationType Type, int &Out) {
  if (!Location || Type != cudaMemAllocationTypePinned)
    return CUDA_ERROR_INVALID_VALUE;
  if (Location->type != cudaMemLocationTypeDevice)
    return CUDA_ERROR_NOT_SUPPORTED;
  Out = Location->id;
  return CUDA_SUCCESS;
}
} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemPoolCreate(cudaMemPool_t *Out, const cudaMemPoolProps *Props) {
  return deviceCall(__func__, [&](CUcontext) {
    return createPool(reinterpret_cast<const CUmemPoolProps *>(Props), Out);
  });
}

cudaError_t CUDARTAPI cudaMemPoolDestroy(cudaMemPool_t Pool) {
  return deviceCall(__func__, [&](CUcontext) { return destroyPool(Pool); });
}

cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t Keep) {
  return deviceCall(__func__, [&](CUcontext) { return trimPool(Pool, Keep); });
}

cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t Pool, cudaMemPoolAttr Attr,
                                              void *Value) {
  return deviceCall(__func__, [&](CUcontext) {
    return setPoolAttribute(Pool, static_cast<CUmemPool_attribute>(Attr), Value);
  });
}

cudaError_t CUDARTAPI cudaMemPoolGetAttribute(cudaMemPool_t Pool, cudaMemPoolAttr Attr,
                                              void *Value) {
  return deviceCall(__func__, [&](CUcontext) {
    return getPoolAttribute(Pool, static_cast<CUmemPool_attribute>(Attr), Value);
  });
}

cudaError_t CUDARTAPI cudaMemPoolSetAccess(cudaMemPool_t Pool, const cudaMemAccessDesc *Map,
                                           size_t Count) {
  return deviceCall(__func__, [&](CUcontext) {
    return setPoolAccess(Pool, reinterpret_cast<const CUmemAccessDesc *>(Map), Count);
  });
}

cudaError_t CUDARTAPI cudaMemPoolGetAccess(cudaMemAccessFlags *Out, cudaMemPool_t Pool,
                                           cudaMemLocation *Location) {
  return deviceCall(__func__, [&](CUcontext) {
    return getPoolAccess(Pool, reinterpret_cast<const CUmemLocation *>(Location),
                         reinterpret_cast<CUmemAccess_flags *>(Out));
  });
}

cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t *Out, int Ordinal) {
  return deviceCall(__func__, [&](CUcontext) { return getDefaultPool(Ordinal, Out); });
}

cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t *Out, int Ordinal) {
  return deviceCall(__func__, [&](CUcontext) { return getDevicePool(Ordinal, Out); });
}

cudaError_t CUDARTAPI cudaDeviceSetMemPool(int Ordinal, cudaMemPool_t Pool) {
  return deviceCall(__func__, [&](CUcontext) { return setDevicePool(Ordinal, Pool); });
}

cudaError_t CUDARTAPI cudaMemGetDefaultMemPool(cudaMemPool_t *Out, cudaMemLocation *Location,
                                               cudaMemAllocationType Type) {
  return deviceCall(__func__, [&](CUcontext) {
    int Ordinal = 0;
    CUresult R = deviceOf(Location, Type, Ordinal);
    return R ? R : getDefaultPool(Ordinal, Out);
  });
}

cudaError_t CUDARTAPI cudaMemGetMemPool(cudaMemPool_t *Out, cudaMemLocation *Location,
                                        cudaMemAllocationType Type) {
  return deviceCall(__func__, [&](CUcontext) {
    int Ordinal = 0;
    CUresult R = deviceOf(Location, Type, Ordinal);
    return R ? R : getDevicePool(Ordinal, Out);
  });
}

cudaError_t CUDARTAPI cudaMemSetMemPool(cudaMemLocation *Location, cudaMemAllocationType Type,
                                        cudaMemPool_t Pool) {
  return deviceCall(__func__, [&](CUcontext) {
    int Ordinal = 0;
    CUresult R = deviceOf(Location, Type, Ordinal);
    return R ? R : setDevicePool(Ordinal, Pool);
  });
}

} // extern "C"
