// Attributes of pointers; advice and prefetching of managed memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/PointerAttributes.h"

#include "api/Call.h"

using namespace gpuinstr::sim;

namespace {
/// The old forms name a device, or CU_DEVICE_CPU.
CUmemLocation locationOf(CUdevice device) {
  CUmemLocation out = {};
  out.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  out.id = device;
  return out;
}
} // namespace

extern "C" {

CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
  return contextCall(__func__, [&](CUcontext) { return addressRange(address, base, size); });
}

CUresult CUDAAPI cuPointerGetAttribute(void *out, CUpointer_attribute attr, CUdeviceptr address) {
  return driverCall(__func__, [&] { return pointerAttribute(out, attr, address); });
}

CUresult CUDAAPI cuPointerGetAttributes(unsigned count, CUpointer_attribute *attrs, void **out,
                                        CUdeviceptr address) {
  return driverCall(__func__, [&] { return pointerAttributes(count, attrs, out, address); });
}

CUresult CUDAAPI cuPointerSetAttribute(const void *value, CUpointer_attribute attr,
                                       CUdeviceptr address) {
  return driverCall(__func__, [&] { return setPointerAttribute(value, attr, address); });
}

CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                    unsigned flags, CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) {
    return flags ? CUDA_ERROR_INVALID_VALUE : prefetch(c, address, bytes, location, stream);
  });
}

CUresult CUDAAPI cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                             CUmemLocation location) {
  return contextCall(__func__, [&](CUcontext) { return advise(address, bytes, advice, location); });
}

#undef cuMemPrefetchAsync
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                                    CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) {
    return prefetch(c, address, bytes, locationOf(device), stream);
  });
}

#undef cuMemAdvise
CUresult CUDAAPI cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                             CUdevice device) {
  return contextCall(__func__,
                     [&](CUcontext) { return advise(address, bytes, advice, locationOf(device)); });
}

CUresult CUDAAPI cuMemRangeGetAttribute(void *out, size_t outSize, CUmem_range_attribute attr,
                                        CUdeviceptr address, size_t bytes) {
  return contextCall(__func__,
                     [&](CUcontext) { return rangeAttribute(out, outSize, attr, address, bytes); });
}

CUresult CUDAAPI cuMemRangeGetAttributes(void **out, size_t *outSizes, CUmem_range_attribute *attrs,
                                         size_t count, CUdeviceptr address, size_t bytes) {
  return contextCall(__func__, [&](CUcontext) {
    if (!out || !outSizes || !attrs || !count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
      if (CUresult r = rangeAttribute(out[i], outSizes[i], attrs[i], address, bytes))
        return r;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
