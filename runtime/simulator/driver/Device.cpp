// Start, devices, errors' names.
// SPDX-License-Identifier: Apache-2.0
#include "common/DeviceModel.h"

#include "api/Call.h"
#include "common/ErrorTexts.h"
#include "device/memory/MemoryPool.h"

#include <cstdio>
#include <cstring>

using namespace gpuinstr::sim;

namespace {

/// A call about a device; \p body runs only for one that exists.
template <typename F> CUresult ordinalCall(const char *name, CUdevice ordinal, F &&body) {
  return driverCall(
      name, [&] { return isDevice(state(), ordinal) ? body() : CUDA_ERROR_INVALID_DEVICE; });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned flags) {
  CUresult r = checkProcess();
  if (!r)
    r = flags ? CUDA_ERROR_INVALID_VALUE : guarded([] { return initialise(); });
  logCall(__func__, r);
  return r;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char **out) {
  const ErrorText *found = errorText(error);
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = found && *found->driverName ? found->driverName : nullptr;
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char **out) {
  const ErrorText *found = errorText(error);
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = found && *found->driverName ? found->text : nullptr;
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDriverGetVersion(int *out) { return store(DriverVersion, out); }

CUresult CUDAAPI cuDeviceGetCount(int *out) {
  return driverCall(__func__, [&] { return store(static_cast<int>(state().devices.size()), out); });
}

CUresult CUDAAPI cuDeviceGet(CUdevice *out, int ordinal) {
  return ordinalCall(__func__, ordinal, [&] { return store(ordinal, out); });
}

CUresult CUDAAPI cuDeviceGetName(char *out, int length, CUdevice dev) {
  return ordinalCall(__func__, dev, [&] {
    if (!out || length < 1)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(out, static_cast<size_t>(length), "%s", DeviceName);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGetUuid(CUuuid *out, CUdevice dev) {
  return ordinalCall(__func__, dev, [&] { return store(deviceUuid(dev), out); });
}

#undef cuDeviceGetUuid
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *out, CUdevice dev) { return cuDeviceGetUuid_v2(out, dev); }

CUresult CUDAAPI cuDeviceTotalMem(size_t *out, CUdevice dev) {
  return ordinalCall(__func__, dev,
                     [&] { return store(state().devices[dev]->memory.size(), out); });
}

CUresult CUDAAPI cuDeviceGetAttribute(int *out, CUdevice_attribute attr, CUdevice dev) {
  return ordinalCall(__func__, dev, [&] {
    if (!out || attr < 1 || attr >= CU_DEVICE_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *out = deviceAttribute(attr, dev);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  return ordinalCall(__func__, dev, [&] {
    if (!major || !minor)
      return CUDA_ERROR_INVALID_VALUE;
    *major = deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char *out, int length, CUdevice dev) {
  return ordinalCall(__func__, dev, [&] {
    if (!out || length < 13)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(out, static_cast<size_t>(length), "0000:%02X:00.0",
                  static_cast<unsigned>(deviceAttribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, dev)));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceCanAccessPeer(int *out, CUdevice dev, CUdevice peer) {
  return ordinalCall(__func__, dev, [&] { return canAccessPeer(dev, peer, out); });
}

CUresult CUDAAPI cuDeviceGetP2PAttribute(int *out, CUdevice_P2PAttribute attr, CUdevice src,
                                         CUdevice dst) {
  return ordinalCall(__func__, src, [&] { return peerAttribute(attr, src, dst, out); });
}

CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice dev) {
  return driverCall(__func__, [&] { return getDefaultPool(dev, out); });
}

CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *out, CUdevice dev) {
  return driverCall(__func__, [&] { return getDevicePool(dev, out); });
}

CUresult CUDAAPI cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return driverCall(__func__, [&] { return setDevicePool(dev, pool); });
}

CUresult CUDAAPI cuDeviceGetExecAffinitySupport(int *out, CUexecAffinityType, CUdevice dev) {
  return ordinalCall(__func__, dev, [&] { return store(0, out); });
}

CUresult CUDAAPI cuProfilerStart() {
  return contextCall("cuProfilerStart", [](CUcontext) { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuProfilerStop() {
  return contextCall("cuProfilerStop", [](CUcontext) { return CUDA_SUCCESS; });
}

} // extern "C"
