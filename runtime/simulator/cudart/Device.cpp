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
template <typename F> cudaError_t ordinalCall(const char *name, int ordinal, F &&body) {
  return runtimeCall(name, [&]() -> cudaError_t {
    if (CUresult r = initialise())
      return toError(r);
    return isDevice(state(), ordinal) ? toError(body()) : cudaErrorInvalidDevice;
  });
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaGetDeviceCount(int *out) {
  // The one question a forked child may ask.
  if (forkedAfterUse() && out) {
    *out = static_cast<int>(state().devices.size());
    return finish(__func__, cudaSuccess);
  }
  return runtimeCall(__func__, [&] {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult r = initialise();
    *out = static_cast<int>(state().devices.size());
    return r;
  });
}

cudaError_t CUDARTAPI cudaSetDevice(int ordinal) {
  return ordinalCall(__func__, ordinal, [&] {
    threadState().runtimeDevice = ordinal;
    auto &stack = threadState().contexts;
    // The thread now works on the device's primary context, whatever was current.
    if (!stack.empty())
      stack.pop_back();
    if (stack.empty() || stack.back())
      stack.push_back(nullptr);
    CUcontext c = nullptr;
    return runtimeContext(c);
  });
}

cudaError_t CUDARTAPI cudaInitDevice(int ordinal, unsigned, unsigned flags) {
  return ordinalCall(__func__, ordinal, [&] {
    if (flags & ~unsigned(cudaInitDeviceFlagsAreValid))
      return CUDA_ERROR_INVALID_VALUE;
    // Starts the device, but leaves the thread where it is.
    CUcontext c = nullptr;
    if (!state().devices[ordinal]->primary.alive)
      return retainPrimary(ordinal, &c);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetDevice(int *out) {
  return runtimeCall(__func__, [&] {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult r = initialise())
      return r;
    CUcontext c = nullptr;
    *out = currentContext(c) ? threadState().runtimeDevice : c->device;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaSetValidDevices(int *, int) {
  return runtimeCall(__func__, [&] { return initialise(); });
}

cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) {
    constexpr unsigned Known = cudaDeviceMask;
    if (flags & ~Known)
      return CUDA_ERROR_INVALID_VALUE;
    c->flags = flags;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned *out) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return store(c->flags | cudaDeviceMapHost, out); });
}

cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  return deviceCall(__func__, [&](CUcontext c) { return synchronizeContext(c); });
}

cudaError_t CUDARTAPI cudaDeviceReset() {
  // Not refused after a kernel's fault: it is what ends it.
  return runtimeCall(__func__, [&] {
    if (CUresult r = initialise())
      return r;
    if (threadState().contexts.empty())
      return CUDA_SUCCESS; // the device goes on
    CUcontext c = nullptr;
    CUresult r = runtimeContext(c);
    return r ? r : resetPrimary(c->device);
  });
}

cudaError_t CUDARTAPI cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return setLimit(c, static_cast<CUlimit>(limit), value); });
}

cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t *out, cudaLimit limit) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return getLimit(c, static_cast<CUlimit>(limit), out); });
}

cudaError_t CUDARTAPI cudaDeviceGetCacheConfig(cudaFuncCache *out) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return store(static_cast<cudaFuncCache>(c->cache), out); });
}

cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
      return CUDA_ERROR_INVALID_VALUE;
    c->cache = static_cast<CUfunc_cache>(config);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *out) {
  return deviceCall(__func__, [&](CUcontext) { return store(cudaSharedMemBankSizeFourByte, out); });
}

cudaError_t CUDARTAPI cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return deviceCall(__func__, [&](CUcontext) {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache() {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *out, cudaDeviceAttr attr, int ordinal) {
  return ordinalCall(__func__, ordinal, [&] {
    if (!out || static_cast<int>(attr) < 1 ||
        static_cast<int>(attr) >= static_cast<int>(CU_DEVICE_ATTRIBUTE_MAX))
      return CUDA_ERROR_INVALID_VALUE;
    *out = deviceAttribute(static_cast<CUdevice_attribute>(attr), ordinal);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp *out, int ordinal) {
  return ordinalCall(__func__, ordinal, [&] { return store(deviceProperties(ordinal), out); });
}

cudaError_t CUDARTAPI cudaChooseDevice(int *out, const cudaDeviceProp *wanted) {
  return ordinalCall(__func__, 0, [&] {
    if (!out || !wanted)
      return CUDA_ERROR_INVALID_VALUE;
    *out = 0; // All simulated devices are alike.
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char *out, int length, int ordinal) {
  return ordinalCall(__func__, ordinal, [&] {
    if (!out || length < 13)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(out, length, "0000:%02X:00.0",
                  deviceAttribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, ordinal));
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetByPCIBusId(int *out, const char *id) {
  return ordinalCall(__func__, 0, [&] {
    if (!out || !id)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned first = 0, second = 0;
    int fields = std::sscanf(id, "%x:%x", &first, &second);
    // "domain:bus:device.function" or "bus:device.function".
    unsigned bus = std::strchr(id, ':') != std::strrchr(id, ':') ? second : first;
    if (fields != 2 || bus < 1 || !isDevice(state(), static_cast<int>(bus) - 1))
      return CUDA_ERROR_INVALID_DEVICE;
    *out = static_cast<int>(bus) - 1;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetTexture1DLinearMaxWidth(size_t *out,
                                                           const cudaChannelFormatDesc *format,
                                                           int ordinal) {
  return ordinalCall(__func__, ordinal, [&] {
    if (!out || !format)
      return CUDA_ERROR_INVALID_VALUE;
    *out = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int *out, int ordinal, int peer) {
  return ordinalCall(__func__, ordinal, [&] { return canAccessPeer(ordinal, peer, out); });
}

cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int *out, cudaDeviceP2PAttr attr, int src,
                                                int dst) {
  return ordinalCall(__func__, src, [&] {
    if (attr < cudaDevP2PAttrPerformanceRank)
      return CUDA_ERROR_INVALID_VALUE;
    return peerAttribute(static_cast<CUdevice_P2PAttribute>(attr), src, dst, out);
  });
}

cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!isDevice(state(), peer))
      return CUDA_ERROR_INVALID_DEVICE;
    CUcontext other = &state().devices[peer]->primary;
    if (!other->alive)
      if (CUresult r = retainPrimary(peer, &other))
        return r;
    return enablePeer(other, flags);
  });
}

cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int peer) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!isDevice(state(), peer))
      return CUDA_ERROR_INVALID_DEVICE;
    CUcontext other = &state().devices[peer]->primary;
    return other->alive ? disablePeer(other) : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}

cudaError_t CUDARTAPI cudaDriverGetVersion(int *out) {
  return runtimeCall(__func__, [&] { return store(DriverVersion, out); });
}

cudaError_t CUDARTAPI cudaRuntimeGetVersion(int *out) {
  return runtimeCall(__func__, [&] { return store(CUDART_VERSION, out); });
}

cudaError_t CUDARTAPI cudaProfilerStart() {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaProfilerStop() {
  return deviceCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

} // extern "C"
