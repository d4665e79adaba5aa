// Contexts.
// SPDX-License-Identifier: Apache-2.0
#include "device/context/Context.h"

#include "api/Call.h"
#include "device/stream/Event.h"
#include "device/stream/Stream.h"

using namespace gpuinstr::sim;

namespace {

/// The given context, or the current one for null.
template <typename F> CUresult thisContext(const char *name, CUcontext given, F &&body) {
  return driverCall(name, [&] {
    CUcontext context = given;
    if (!given) {
      if (CUresult r = currentContext(context))
        return r;
    } else {
      Lock l(state().m);
      if (!isContext(state(), given))
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return body(context);
  });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice dev) {
  return driverCall(__func__, [&] { return retainPrimary(dev, out); });
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice dev) {
  return driverCall(__func__, [&] { return releasePrimary(dev); });
}

CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice dev) {
  return driverCall(__func__, [&] { return resetPrimary(dev); });
}

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags) {
  return driverCall(__func__, [&] {
    if (!isDevice(state(), dev))
      return CUDA_ERROR_INVALID_DEVICE;
    state().devices[dev]->primary.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active) {
  return driverCall(__func__, [&] {
    if (!isDevice(state(), dev))
      return CUDA_ERROR_INVALID_DEVICE;
    if (!flags || !active)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = state().devices[dev]->primary.flags;
    *active = state().devices[dev]->primary.alive;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxCreate(CUcontext *out, CUctxCreateParams *, unsigned flags, CUdevice dev) {
  return driverCall(__func__, [&] { return createContext(dev, flags, out); });
}

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice dev) {
  return driverCall(__func__, [&] { return createContext(dev, flags, out); });
}

CUresult CUDAAPI cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *, int, unsigned flags,
                                CUdevice dev) {
  return driverCall(__func__, [&] { return createContext(dev, flags, out); });
}

CUresult CUDAAPI cuCtxDestroy(CUcontext context) {
  return driverCall(__func__, [&] { return destroyContext(context); });
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *out) {
  return driverCall(__func__, [&] {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    auto &stack = threadState().contexts;
    *out = stack.empty() ? nullptr : stack.back();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  return driverCall(__func__, [&] { return setCurrent(context); });
}

CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  return driverCall(__func__, [&] {
    Lock l(state().m);
    if (!isContext(state(), context))
      return CUDA_ERROR_INVALID_CONTEXT;
    threadState().contexts.push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxPopCurrent(CUcontext *out) {
  return driverCall(__func__, [&] {
    auto &stack = threadState().contexts;
    if (stack.empty())
      return CUDA_ERROR_INVALID_CONTEXT;
    if (out)
      *out = stack.back();
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

/// A primary context that a reset took down is current still, and says whose it was.
CUresult CUDAAPI cuCtxGetDevice(CUdevice *out) {
  return driverCall(__func__, [&] {
    CUcontext context = nullptr;
    CUresult r = currentContext(context);
    if (r == CUDA_ERROR_CONTEXT_IS_DESTROYED)
      for (auto &dev : state().devices)
        if (&dev->primary == threadState().contexts.back())
          return store(dev->ordinal, out);
    if (!r)
      r = faultOf(context);
    return r ? r : store(context->device, out);
  });
}

CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice *out, CUcontext context) {
  return thisContext(__func__, context, [&](CUcontext c) { return store(c->device, out); });
}

CUresult CUDAAPI cuCtxGetFlags(unsigned *out) {
  return contextCall(__func__, [&](CUcontext c) { return store(c->flags, out); });
}

CUresult CUDAAPI cuCtxSetFlags(unsigned flags) {
  return contextCall(__func__, [&](CUcontext c) {
    c->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxGetId(CUcontext context, unsigned long long *out) {
  return thisContext(__func__, context, [&](CUcontext c) { return store(c->id, out); });
}

CUresult CUDAAPI cuCtxGetApiVersion(CUcontext context, unsigned *out) {
  return thisContext(__func__, context, [&](CUcontext) {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = 3020; // The ABI of contexts since CUDA 3.2.
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxSynchronize() {
  return contextCall(__func__, [&](CUcontext c) { return synchronizeContext(c); });
}

CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext context) {
  return thisContext(__func__, context, [&](CUcontext c) { return synchronizeContext(c); });
}

CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value) {
  return contextCall(__func__, [&](CUcontext c) { return setLimit(c, limit, value); });
}

CUresult CUDAAPI cuCtxGetLimit(size_t *out, CUlimit limit) {
  return contextCall(__func__, [&](CUcontext c) { return getLimit(c, limit, out); });
}

CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *out) {
  return contextCall(__func__, [&](CUcontext c) { return store(c->cache, out); });
}

CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config) {
  return contextCall(__func__, [&](CUcontext c) {
    c->cache = config;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return contextCall(__func__, [&](CUcontext) {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxResetPersistingL2Cache() {
  return contextCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return contextCall(__func__, [&](CUcontext) { return enablePeer(peer, flags); });
}

CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peer) {
  return contextCall(__func__, [&](CUcontext) { return disablePeer(peer); });
}

} // extern "C"
