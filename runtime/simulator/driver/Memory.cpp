// Allocation and release, mapping of physical memory, memory pools.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Allocations.h"

#include "api/Call.h"
#include "device/memory/MemoryPool.h"
#include "device/memory/VirtualMemory.h"

using namespace gpuinstr::sim;

extern "C" {

CUresult CUDAAPI cuMemGetInfo(size_t *Free, size_t *Total) {
  return contextCall(__func__, [&](CUcontext C) { return memoryInfo(C, Free, Total); });
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *Out, size_t Bytes) {
  return contextCall(__func__, [&](CUcontext C) { return allocateDevice(C, Bytes, Out); });
}

CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr *Out, size_t *Pitch, size_t Width, size_t Height,
                                 unsigned ElementBytes) {
  return contextCall(__func__, [&](CUcontext C) {
    if (ElementBytes != 4 && ElementBytes != 8 && ElementBytes != 16)
      return CUDA_ERROR_INVALID_VALUE;
    return allocatePitched(C, Width, Height, Out, Pitch);
  });
}

CUresult CUDAAPI cuMemFree(CUdeviceptr Address) {
  return contextCall(__func__, [&](CUcontext C) { return freeDevice(C, Address); });
}

CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *Out, size_t Bytes, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return allocateManaged(C, Bytes, Flags, Out); });
}

CUresult CUDAAPI cuMemAllocHost(void **Out, size_t Bytes) {
  return contextCall(__func__, [&](CUcontext C) { return allocatePinned(C, Bytes, 0, Out); });
}

CUresult CUDAAPI cuMemHostAlloc(void **Out, size_t Bytes, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return allocatePinned(C, Bytes, Flags, Out); });
}

CUresult CUDAAPI cuMemFreeHost(void *Address) {
  return contextCall(__func__, [&](CUcontext C) { return freePinned(C, Address); });
}

CUresult CUDAAPI cuMemHostRegister(void *Address, size_t Bytes, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) { return registerHost(C, Address, Bytes, Flags); });
}

CUresult CUDAAPI cuMemHostUnregister(void *Address) {
  return contextCall(__func__, [&](CUcontext) { return unregisterHost(Address); });
}

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *Out, void *Host, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext) {
    return Flags ? CUDA_ERROR_INVALID_VALUE : hostDevicePointer(Host, Out);
  });
}

CUresult CUDAAPI cuMemHostGetFlags(unsigned *Out, void *Host) {
  return contextCall(__func__, [&](CUcontext) { return hostFlags(Host, Out); });
}

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *Out, size_t Bytes, CUstream Stream) {
  return contextCall(__func__,
                     [&](CUcontext C) { return allocateAsync(C, Bytes, nullptr, Stream, Out); });
}

CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *Out, size_t Bytes, CUmemoryPool Pool,
                                         CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) {
    return Pool ? allocateAsync(C, Bytes, Pool, Stream, Out) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr Address, CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) { return freeAsync(C, Address, Stream); });
}

CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *Out, const CUmemPoolProps *Props) {
  return driverCall(__func__, [&] { return createPool(Props, Out); });
}

CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool Pool) {
  return driverCall(__func__, [&] { return destroyPool(Pool); });
}

CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool Pool, size_t Keep) {
  return driverCall(__func__, [&] { return trimPool(Pool, Keep); });
}

CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool Pool, CUmemPool_attribute Attr, void *Value) {
  return driverCall(__func__, [&] { return setPoolAttribute(Pool, Attr, Value); });
}

CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool Pool, CUmemPool_attribute Attr, void *Value) {
  return driverCall(__func__, [&] { return getPoolAttribute(Pool, Attr, Value); });
}

CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool Pool, const CUmemAccessDesc *Map, size_t Count) {
  return driverCall(__func__, [&] { return setPoolAccess(Pool, Map, Count); });
}

CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *Out, CUmemoryPool Pool,
                                    CUmemLocation *Location) {
  return driverCall(__func__, [&] { return getPoolAccess(Pool, Location, Out); });
}

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *Out, size_t Bytes,
                             const CUmemAllocationProp *Props, unsigned long long Flags) {
  return driverCall(
      __func__, [&] { return Flags ? CUDA_ERROR_INVALID_VALUE : vmmCreate(Bytes, Props, Out); });
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle Handle) {
  return driverCall(__func__, [&] { return vmmRelease(Handle); });
}

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *Out, size_t Bytes, size_t Align, CUdeviceptr,
                                     unsigned long long Flags) {
  return driverCall(
      __func__, [&] { return Flags ? CUDA_ERROR_INVALID_VALUE : vmmReserve(Bytes, Align, Out); });
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr Address, size_t Bytes) {
  return driverCall(__func__, [&] { return vmmFreeRange(Address, Bytes); });
}

CUresult CUDAAPI cuMemMap(CUdeviceptr Address, size_t Bytes, size_t Offset,
                          CUmemGenericAllocationHandle Handle, unsigned long long Flags) {
  return driverCall(__func__, [&] {
    return Flags ? CUDA_ERROR_INVALID_VALUE : vmmMap(Address, Bytes, Offset, Handle);
  });
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr Address, size_t Bytes) {
  return driverCall(__func__, [&] { return vmmUnmap(Address, Bytes); });
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr Address, size_t Bytes, const CUmemAccessDesc *Descs,
                                size_t Count) {
  return driverCall(__func__, [&] { return vmmSetAccess(Address, Bytes, Descs, Count); });
}

CUresult CUDAAPI cuMemGetAccess(unsigned long long *Out, const CUmemLocation *Location,
                                CUdeviceptr Address) {
  return driverCall(__func__, [&] { return vmmGetAccess(Address, Location, Out); });
}

CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *Out, const CUmemAllocationProp *Props,
                                               CUmemAllocationGranularity_flags) {
  return driverCall(__func__, [&] {
    if (!Out || !Props)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = VmmGranularity;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *Out,
                                                        CUmemGenericAllocationHandle Handle) {
  return driverCall(__func__, [&] { return vmmProperties(Handle, Out); });
}

CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *Out, void *Address) {
  return driverCall(__func__,
                    [&] { return vmmRetain(reinterpret_cast<CUdeviceptr>(Address), Out); });
}

} // extern "C"
