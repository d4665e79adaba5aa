// Devices: count, choice, attributes, limits, peers.
// SPDX-License-Identifier: Apache-2.0
#include "common/DeviceModel.h"
#include "cudart/DeviceProperties.h"
#include "cudart/RuntimeCall.h"
#include "device/stream/Stream.h"

#include <cstdio>
#include <cstring>

using namespace gpuinstr::sim;

namespace {

/// A call about a device by number; no context is made.
template <typename F> cudaError_t ordinalCall(const char *Name, int Ordinal, F &&Body) {
  return runtimeCall(Name, [&]() -> cudaError_t {
    if (CUresult R = initialise())
      return toError(R);
    return isDevice(state(), Ordinal) ? toError(Body()) : cudaErrorInvalidDevice;
  });
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaGetDeviceCount(int *Out) {
  // The one question a forked child may ask.
  if (forkedAfterUse() && Out) {
    *Out = static_cast<int>(state().Devices.size());
    return finish(__func__, cudaSuccess);
  }
  return runtimeCall(__func__, [&] {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult R = initialise();
    *Out = static_cast<int>(state().Devices.size());
    return R;
  });
}

cudaError_t CUDARTAPI cudaSetDevice(int Ordinal) {
  return ordinalCall(__func__, Ordinal, [&] {
    threadState().RuntimeDevice = Ordinal;
    auto &Stack = threadState().Contexts;
    // The thread now works on the device's primary context, whatever was current.
    if (!Stack.empty())
      Stack.pop_back();
    if (Stack.empty() || Stack.back())
      Stack.push_back(nullptr);
    CUcontext C = nullptr;
    return runtimeContext(C);
  });
}

cudaError_t CUDARTAPI cudaInitDevice(int Ordinal, unsigned, unsigned Flags) {
  return ordinalCall(__func__, Ordinal, [&] {
    if (Flags & ~unsigned(cudaInitDeviceFlagsAreValid))
      return CUDA_ERROR_INVALID_VALUE;
    // Starts the device, but leaves the thread where it is.
    CUcontext C = nullptr;
    if (!state().Devices[Ordinal]->Primary.Alive)
      return retainPrimary(Ordinal, &C);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetDevice(int *Out) {
  return runtimeCall(__func__, [&] {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult R = initialise())
      return R;
    CUcontext C = nullptr;
    *Out = currentContext(C) ? threadState().RuntimeDevice : C->Device;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaSetValidDevices(int *, int) {
  return runtimeCall(__func__, [&] { return initialise(); });
}

cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) {
    constexpr unsigned Known = cudaDeviceMask;
    if (Flags & ~Known)
      return CUDA_ERROR_INVALID_VALUE;
    C->Flags = Flags;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned *Out) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return store(C->Flags | cudaDeviceMapHost, Out); });
}

cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  return deviceCall(__func__, [&](CUcontext C) { return synchronizeContext(C); });
}

cudaError_t CUDARTAPI cudaDeviceReset() {
  // Not refused after a kernel's fault: it is what ends it.
  return runtimeCall(__func__, [&] {
    CUcontext C = nullptr;
    CUresult R = runtimeContext(C);
    return R ? R : resetPrimary(C->Device);
  });
}

cudaError_t CUDARTAPI cudaDeviceSetLimit(cudaLimit Limit, size_t Value) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return setLimit(C, static_cast<CUlimit>(Limit), Value); });
}

cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t *Out, cudaLimit Limit) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return getLimit(C, static_cast<CUlimit>(Limit), Out); });
}

cudaError_t CUDARTAPI cudaDeviceGetCacheConfig(cudaFuncCache *Out) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return store(static_cast<cudaFuncCache>(C->Cache), Out); });
}

cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(cudaFuncCache Config) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (Config < cudaFuncCachePreferNone || Config > cudaFuncCachePreferEqual)
      return CUDA_ERROR_INVALID_VALUE;
    C->Cache = static_cast<CUfunc_cache>(Config);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *Out) {
  return deviceCall(__func__, [&](CUcontext) { return store(cudaSharedMemBankSizeFourByte, Out); });
}

cudaError_t CUDARTAPI cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return deviceCall(__func__, [&](CUcontext) {
    if (Least)
      *Least = 0;
    if (Greatest)
      *Greatest = -5;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache() {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *Out, cudaDeviceAttr Attr, int Ordinal) {
  return ordinalCall(__func__, Ordinal, [&] {
    if (!Out || static_cast<int>(Attr) < 1 ||
        static_cast<int>(Attr) >= static_cast<int>(CU_DEVICE_ATTRIBUTE_MAX))
      return CUDA_ERROR_INVALID_VALUE;
    *Out = deviceAttribute(static_cast<CUdevice_attribute>(Attr), Ordinal);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp *Out, int Ordinal) {
  return ordinalCall(__func__, Ordinal, [&] { return store(deviceProperties(Ordinal), Out); });
}

cudaError_t CUDARTAPI cudaChooseDevice(int *Out, const cudaDeviceProp *Wanted) {
  return ordinalCall(__func__, 0, [&] {
    if (!Out || !Wanted)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = 0; // All simulated devices are alike.
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char *Out, int Length, int Ordinal) {
  return ordinalCall(__func__, Ordinal, [&] {
    if (!Out || Length < 13)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(Out, Length, "0000:%02X:00.0",
                  deviceAttribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, Ordinal));
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetByPCIBusId(int *Out, const char *Id) {
  return ordinalCall(__func__, 0, [&] {
    if (!Out || !Id)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned First = 0, Second = 0;
    int Fields = std::sscanf(Id, "%x:%x", &First, &Second);
    // "domain:bus:device.function" or "bus:device.function".
    unsigned Bus = std::strchr(Id, ':') != std::strrchr(Id, ':') ? Second : First;
    if (Fields != 2 || Bus < 1 || !isDevice(state(), static_cast<int>(Bus) - 1))
      return CUDA_ERROR_INVALID_DEVICE;
    *Out = static_cast<int>(Bus) - 1;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetTexture1DLinearMaxWidth(size_t *Out,
                                                           const cudaChannelFormatDesc *Format,
                                                           int Ordinal) {
  return ordinalCall(__func__, Ordinal, [&] {
    if (!Out || !Format)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int *Out, int Ordinal, int Peer) {
  return ordinalCall(__func__, Ordinal, [&] { return canAccessPeer(Ordinal, Peer, Out); });
}

cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int *Out, cudaDeviceP2PAttr Attr, int Src,
                                                int Dst) {
  return ordinalCall(__func__, Src, [&] {
    if (Attr < cudaDevP2PAttrPerformanceRank)
      return CUDA_ERROR_INVALID_VALUE;
    return peerAttribute(static_cast<CUdevice_P2PAttribute>(Attr), Src, Dst, Out);
  });
}

cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!isDevice(state(), Peer))
      return CUDA_ERROR_INVALID_DEVICE;
    CUcontext Other = &state().Devices[Peer]->Primary;
    if (!Other->Alive)
      if (CUresult R = retainPrimary(Peer, &Other))
        return R;
    return enablePeer(Other, Flags);
  });
}

cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int Peer) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!isDevice(state(), Peer))
      return CUDA_ERROR_INVALID_DEVICE;
    CUcontext Other = &state().Devices[Peer]->Primary;
    return Other->Alive ? disablePeer(Other) : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}

cudaError_t CUDARTAPI cudaDriverGetVersion(int *Out) {
  return runtimeCall(__func__, [&] { return store(DriverVersion, Out); });
}

cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *Out) {
  return runtimeCall(__func__, [&] { return store(CUDART_VERSION, Out); });
}

cudaError_t CUDARTAPI cudaProfilerStart() {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaProfilerStop() {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

} // extern "C"
