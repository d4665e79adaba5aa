// Memory pools.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/MemoryPool.h"

#include "cudart/RuntimeCall.h"

using namespace gpuinstr::sim;

namespace {
static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps), "the APIs share this structure");
static_assert(sizeof(cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "and this one");
static_assert(sizeof(cudaMemLocation) == sizeof(CUmemLocation), "and this one");

CUresult deviceOf(const cudaMemLocation *location, cudaMemAllocationType type, int &out) {
  if (!location || type != cudaMemAllocationTypePinned)
    return CUDA_ERROR_INVALID_VALUE;
  if (location->type != cudaMemLocationTypeDevice)
    return CUDA_ERROR_NOT_SUPPORTED;
  out = location->id;
  return CUDA_SUCCESS;
}
} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props) {
  return deviceCall(__func__, [&](CUcontext) {
    return createPool(reinterpret_cast<const CUmemPoolProps *>(props), out);
  });
}

cudaError_t CUDARTAPI cudaMemPoolDestroy(cudaMemPool_t pool) {
  return deviceCall(__func__, [&](CUcontext) { return destroyPool(pool); });
}

cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  return deviceCall(__func__, [&](CUcontext) { return trimPool(pool, keep); });
}

cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr,
                                              void *value) {
  return deviceCall(__func__, [&](CUcontext) {
    return setPoolAttribute(pool, static_cast<CUmemPool_attribute>(attr), value);
  });
}

cudaError_t CUDARTAPI cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr,
                                              void *value) {
  return deviceCall(__func__, [&](CUcontext) {
    return getPoolAttribute(pool, static_cast<CUmemPool_attribute>(attr), value);
  });
}

cudaError_t CUDARTAPI cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *map,
                                           size_t count) {
  return deviceCall(__func__, [&](CUcontext) {
    return setPoolAccess(pool, reinterpret_cast<const CUmemAccessDesc *>(map), count);
  });
}

cudaError_t CUDARTAPI cudaMemPoolGetAccess(cudaMemAccessFlags *out, cudaMemPool_t pool,
                                           cudaMemLocation *location) {
  return deviceCall(__func__, [&](CUcontext) {
    return getPoolAccess(pool, reinterpret_cast<const CUmemLocation *>(location),
                         reinterpret_cast<CUmemAccess_flags *>(out));
  });
}

cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int ordinal) {
  return deviceCall(__func__, [&](CUcontext) { return getDefaultPool(ordinal, out); });
}

cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t *out, int ordinal) {
  return deviceCall(__func__, [&](CUcontext) { return getDevicePool(ordinal, out); });
}

cudaError_t CUDARTAPI cudaDeviceSetMemPool(int ordinal, cudaMemPool_t pool) {
  return deviceCall(__func__, [&](CUcontext) { return setDevicePool(ordinal, pool); });
}

cudaError_t CUDARTAPI cudaMemGetDefaultMemPool(cudaMemPool_t *out, cudaMemLocation *location,
                                               cudaMemAllocationType type) {
  return deviceCall(__func__, [&](CUcontext) {
    int ordinal = 0;
    CUresult r = deviceOf(location, type, ordinal);
    return r ? r : getDefaultPool(ordinal, out);
  });
}

cudaError_t CUDARTAPI cudaMemGetMemPool(cudaMemPool_t *out, cudaMemLocation *location,
                                        cudaMemAllocationType type) {
  return deviceCall(__func__, [&](CUcontext) {
    int ordinal = 0;
    CUresult r = deviceOf(location, type, ordinal);
    return r ? r : getDevicePool(ordinal, out);
  });
}

cudaError_t CUDARTAPI cudaMemSetMemPool(cudaMemLocation *location, cudaMemAllocationType type,
                                        cudaMemPool_t pool) {
  return deviceCall(__func__, [&](CUcontext) {
    int ordinal = 0;
    CUresult r = deviceOf(location, type, ordinal);
    return r ? r : setDevicePool(ordinal, pool);
  });
}

} // extern "C"
