// Allocation and release, mapping of physical memory, memory pools.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Allocations.h"

#include "api/Call.h"
#include "device/memory/MemoryPool.h"
#include "device/memory/VirtualMemory.h"

using namespace gpuinstr::sim;

extern "C" {

CUresult CUDAAPI cuMemGetInfo(size_t *free, size_t *total) {
  return contextCall(__func__, [&](CUcontext c) { return memoryInfo(c, free, total); });
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *out, size_t bytes) {
  return contextCall(__func__, [&](CUcontext c) { return allocateDevice(c, bytes, out); });
}

CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                                 unsigned elementBytes) {
  return contextCall(__func__, [&](CUcontext c) {
    if (elementBytes != 4 && elementBytes != 8 && elementBytes != 16)
      return CUDA_ERROR_INVALID_VALUE;
    return allocatePitched(c, width, height, out, pitch);
  });
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  return contextCall(__func__, [&](CUcontext c) { return freeDevice(c, address); });
}

CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return allocateManaged(c, bytes, flags, out); });
}

CUresult CUDAAPI cuMemAllocHost(void **out, size_t bytes) {
  return contextCall(__func__, [&](CUcontext c) { return allocatePinned(c, bytes, 0, out); });
}

CUresult CUDAAPI cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return allocatePinned(c, bytes, flags, out); });
}

CUresult CUDAAPI cuMemFreeHost(void *address) {
  return contextCall(__func__, [&](CUcontext c) { return freePinned(c, address); });
}

CUresult CUDAAPI cuMemHostRegister(void *address, size_t bytes, unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) { return registerHost(c, address, bytes, flags); });
}

CUresult CUDAAPI cuMemHostUnregister(void *address) {
  return contextCall(__func__, [&](CUcontext) { return unregisterHost(address); });
}

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *out, void *host, unsigned flags) {
  return contextCall(__func__, [&](CUcontext) {
    return flags ? CUDA_ERROR_INVALID_VALUE : hostDevicePointer(host, out);
  });
}

CUresult CUDAAPI cuMemHostGetFlags(unsigned *out, void *host) {
  return contextCall(__func__, [&](CUcontext) { return hostFlags(host, out); });
}

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream) {
  return contextCall(__func__,
                     [&](CUcontext c) { return allocateAsync(c, bytes, nullptr, stream, out); });
}

CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool,
                                         CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) {
    return pool ? allocateAsync(c, bytes, pool, stream, out) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) { return freeAsync(c, address, stream); });
}

CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props) {
  return driverCall(__func__, [&] { return createPool(props, out); });
}

CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool) {
  return driverCall(__func__, [&] { return destroyPool(pool); });
}

CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return driverCall(__func__, [&] { return trimPool(pool, keep); });
}

CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  return driverCall(__func__, [&] { return setPoolAttribute(pool, attr, value); });
}

CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  return driverCall(__func__, [&] { return getPoolAttribute(pool, attr, value); });
}

CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  return driverCall(__func__, [&] { return setPoolAccess(pool, map, count); });
}

CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *out, CUmemoryPool pool,
                                    CUmemLocation *location) {
  return driverCall(__func__, [&] { return getPoolAccess(pool, location, out); });
}

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
                             const CUmemAllocationProp *props, unsigned long long flags) {
  return driverCall(
      __func__, [&] { return flags ? CUDA_ERROR_INVALID_VALUE : vmmCreate(bytes, props, out); });
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driverCall(__func__, [&] { return vmmRelease(handle); });
}

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr,
                                     unsigned long long flags) {
  return driverCall(
      __func__, [&] { return flags ? CUDA_ERROR_INVALID_VALUE : vmmReserve(bytes, align, out); });
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return driverCall(__func__, [&] { return vmmFreeRange(address, bytes); });
}

CUresult CUDAAPI cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                          CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return driverCall(__func__, [&] {
    return flags ? CUDA_ERROR_INVALID_VALUE : vmmMap(address, bytes, offset, handle);
  });
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return driverCall(__func__, [&] { return vmmUnmap(address, bytes); });
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *descs,
                                size_t count) {
  return driverCall(__func__, [&] { return vmmSetAccess(address, bytes, descs, count); });
}

CUresult CUDAAPI cuMemGetAccess(unsigned long long *out, const CUmemLocation *location,
                                CUdeviceptr address) {
  return driverCall(__func__, [&] { return vmmGetAccess(address, location, out); });
}

CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *props,
                                               CUmemAllocationGranularity_flags) {
  return driverCall(__func__, [&] {
    if (!out || !props)
      return CUDA_ERROR_INVALID_VALUE;
    *out = VmmGranularity;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out,
                                                        CUmemGenericAllocationHandle handle) {
  return driverCall(__func__, [&] { return vmmProperties(handle, out); });
}

CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address) {
  return driverCall(__func__,
                    [&] { return vmmRetain(reinterpret_cast<CUdeviceptr>(address), out); });
}

} // extern "C"
