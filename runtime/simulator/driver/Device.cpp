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

/// A call about a device; \p Body runs only for one that exists.
template <typename F> CUresult ordinalCall(const char *Name, CUdevice Ordinal, F &&Body) {
  return driverCall(
      Name, [&] { return isDevice(state(), Ordinal) ? Body() : CUDA_ERROR_INVALID_DEVICE; });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned Flags) {
  CUresult R = checkProcess();
  if (!R)
    R = Flags ? CUDA_ERROR_INVALID_VALUE : guarded([] { return initialise(); });
  logCall(__func__, R);
  return R;
}

CUresult CUDAAPI cuGetErrorName(CUresult Error, const char **Out) {
  const ErrorText *Found = errorText(Error);
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Found && *Found->DriverName ? Found->DriverName : nullptr;
  return *Out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult Error, const char **Out) {
  const ErrorText *Found = errorText(Error);
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Found && *Found->DriverName ? Found->Text : nullptr;
  return *Out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDriverGetVersion(int *Out) { return store(DriverVersion, Out); }

CUresult CUDAAPI cuDeviceGetCount(int *Out) {
  return driverCall(__func__, [&] { return store(static_cast<int>(state().Devices.size()), Out); });
}

CUresult CUDAAPI cuDeviceGet(CUdevice *Out, int Ordinal) {
  return ordinalCall(__func__, Ordinal, [&] { return store(Ordinal, Out); });
}

CUresult CUDAAPI cuDeviceGetName(char *Out, int Length, CUdevice Dev) {
  return ordinalCall(__func__, Dev, [&] {
    if (!Out || Length < 1)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(Out, static_cast<size_t>(Length), "%s", DeviceName);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGetUuid(CUuuid *Out, CUdevice Dev) {
  return ordinalCall(__func__, Dev, [&] { return store(deviceUuid(Dev), Out); });
}

#undef cuDeviceGetUuid
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *Out, CUdevice Dev) { return cuDeviceGetUuid_v2(Out, Dev); }

CUresult CUDAAPI cuDeviceTotalMem(size_t *Out, CUdevice Dev) {
  return ordinalCall(__func__, Dev,
                     [&] { return store(state().Devices[Dev]->Memory.size(), Out); });
}

CUresult CUDAAPI cuDeviceGetAttribute(int *Out, CUdevice_attribute Attr, CUdevice Dev) {
  return ordinalCall(__func__, Dev, [&] {
    if (!Out || Attr < 1 || Attr >= CU_DEVICE_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = deviceAttribute(Attr, Dev);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceComputeCapability(int *Major, int *Minor, CUdevice Dev) {
  return ordinalCall(__func__, Dev, [&] {
    if (!Major || !Minor)
      return CUDA_ERROR_INVALID_VALUE;
    *Major = deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *Minor = deviceAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char *Out, int Length, CUdevice Dev) {
  return ordinalCall(__func__, Dev, [&] {
    if (!Out || Length < 13)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(Out, static_cast<size_t>(Length), "0000:%02X:00.0",
                  static_cast<unsigned>(deviceAttribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, Dev)));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceCanAccessPeer(int *Out, CUdevice Dev, CUdevice Peer) {
  return ordinalCall(__func__, Dev, [&] { return canAccessPeer(Dev, Peer, Out); });
}

CUresult CUDAAPI cuDeviceGetP2PAttribute(int *Out, CUdevice_P2PAttribute Attr, CUdevice Src,
                                         CUdevice Dst) {
  return ordinalCall(__func__, Src, [&] { return peerAttribute(Attr, Src, Dst, Out); });
}

CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *Out, CUdevice Dev) {
  return driverCall(__func__, [&] { return getDefaultPool(Dev, Out); });
}

CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *Out, CUdevice Dev) {
  return driverCall(__func__, [&] { return getDevicePool(Dev, Out); });
}

CUresult CUDAAPI cuDeviceSetMemPool(CUdevice Dev, CUmemoryPool Pool) {
  return driverCall(__func__, [&] { return setDevicePool(Dev, Pool); });
}

CUresult CUDAAPI cuDeviceGetExecAffinitySupport(int *Out, CUexecAffinityType, CUdevice Dev) {
  return ordinalCall(__func__, Dev, [&] { return store(0, Out); });
}

CUresult CUDAAPI cuProfilerStart() {
  return contextCall("cuProfilerStart", [](CUcontext) { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuProfilerStop() {
  return contextCall("cuProfilerStop", [](CUcontext) { return CUDA_SUCCESS; });
}

} // extern "C"
