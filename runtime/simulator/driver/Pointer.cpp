// Attributes of pointers; advice and prefetching of managed memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/PointerAttributes.h"

#include "api/Call.h"

using namespace gpuinstr::sim;

namespace {
/// The old forms name a device, or CU_DEVICE_CPU.
CUmemLocation locationOf(CUdevice Device) {
  CUmemLocation Out = {};
  Out.type = Device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  Out.id = Device;
  return Out;
}
} // namespace

extern "C" {

CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *Base, size_t *Size, CUdeviceptr Address) {
  return contextCall(__func__, [&](CUcontext) { return addressRange(Address, Base, Size); });
}

CUresult CUDAAPI cuPointerGetAttribute(void *Out, CUpointer_attribute Attr, CUdeviceptr Address) {
  return driverCall(__func__, [&] { return pointerAttribute(Out, Attr, Address); });
}

CUresult CUDAAPI cuPointerGetAttributes(unsigned Count, CUpointer_attribute *Attrs, void **Out,
                                        CUdeviceptr Address) {
  return driverCall(__func__, [&] { return pointerAttributes(Count, Attrs, Out, Address); });
}

CUresult CUDAAPI cuPointerSetAttribute(const void *Value, CUpointer_attribute Attr,
                                       CUdeviceptr Address) {
  return driverCall(__func__, [&] { return setPointerAttribute(Value, Attr, Address); });
}

CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr Address, size_t Bytes, CUmemLocation Location,
                                    unsigned Flags, CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) {
    return Flags ? CUDA_ERROR_INVALID_VALUE : prefetch(C, Address, Bytes, Location, Stream);
  });
}

CUresult CUDAAPI cuMemAdvise(CUdeviceptr Address, size_t Bytes, CUmem_advise Advice,
                             CUmemLocation Location) {
  return contextCall(__func__, [&](CUcontext) { return advise(Address, Bytes, Advice, Location); });
}

#undef cuMemPrefetchAsync
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr Address, size_t Bytes, CUdevice Device,
                                    CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) {
    return prefetch(C, Address, Bytes, locationOf(Device), Stream);
  });
}

#undef cuMemAdvise
CUresult CUDAAPI cuMemAdvise(CUdeviceptr Address, size_t Bytes, CUmem_advise Advice,
                             CUdevice Device) {
  return contextCall(__func__,
                     [&](CUcontext) { return advise(Address, Bytes, Advice, locationOf(Device)); });
}

CUresult CUDAAPI cuMemRangeGetAttribute(void *Out, size_t OutSize, CUmem_range_attribute Attr,
                                        CUdeviceptr Address, size_t Bytes) {
  return contextCall(__func__,
                     [&](CUcontext) { return rangeAttribute(Out, OutSize, Attr, Address, Bytes); });
}

CUresult CUDAAPI cuMemRangeGetAttributes(void **Out, size_t *OutSizes, CUmem_range_attribute *Attrs,
                                         size_t Count, CUdeviceptr Address, size_t Bytes) {
  return contextCall(__func__, [&](CUcontext) {
    if (!Out || !OutSizes || !Attrs || !Count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t I = 0; I < Count; ++I)
      if (CUresult R = rangeAttribute(Out[I], OutSizes[I], Attrs[I], Address, Bytes))
        return R;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
