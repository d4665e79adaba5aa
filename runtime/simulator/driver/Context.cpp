// Contexts.
// SPDX-License-Identifier: Apache-2.0
#include "device/context/Context.h"

#include "api/Call.h"
#include "device/stream/Event.h"
#include "device/stream/Stream.h"

using namespace gpuinstr::sim;

namespace {

/// The given context, or the current one for null.
template <typename F> CUresult thisContext(const char *Name, CUcontext Given, F &&Body) {
  return driverCall(Name, [&] {
    CUcontext Context = Given;
    if (!Given) {
      if (CUresult R = currentContext(Context))
        return R;
    } else {
      Lock L(state().M);
      if (!isContext(state(), Given))
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return Body(Context);
  });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *Out, CUdevice Dev) {
  return driverCall(__func__, [&] { return retainPrimary(Dev, Out); });
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice Dev) {
  return driverCall(__func__, [&] { return releasePrimary(Dev); });
}

CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice Dev) {
  return driverCall(__func__, [&] { return resetPrimary(Dev); });
}

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice Dev, unsigned Flags) {
  return driverCall(__func__, [&] {
    if (!isDevice(state(), Dev))
      return CUDA_ERROR_INVALID_DEVICE;
    state().Devices[Dev]->Primary.Flags = Flags;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice Dev, unsigned *Flags, int *Active) {
  return driverCall(__func__, [&] {
    if (!isDevice(state(), Dev))
      return CUDA_ERROR_INVALID_DEVICE;
    if (!Flags || !Active)
      return CUDA_ERROR_INVALID_VALUE;
    *Flags = state().Devices[Dev]->Primary.Flags;
    *Active = state().Devices[Dev]->Primary.Alive;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxCreate(CUcontext *Out, CUctxCreateParams *, unsigned Flags, CUdevice Dev) {
  return driverCall(__func__, [&] { return createContext(Dev, Flags, Out); });
}

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *Out, unsigned Flags, CUdevice Dev) {
  return driverCall(__func__, [&] { return createContext(Dev, Flags, Out); });
}

CUresult CUDAAPI cuCtxCreate_v3(CUcontext *Out, CUexecAffinityParam *, int, unsigned Flags,
                                CUdevice Dev) {
  return driverCall(__func__, [&] { return createContext(Dev, Flags, Out); });
}

CUresult CUDAAPI cuCtxDestroy(CUcontext Context) {
  return driverCall(__func__, [&] { return destroyContext(Context); });
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *Out) {
  return driverCall(__func__, [&] {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    auto &Stack = threadState().Contexts;
    *Out = Stack.empty() ? nullptr : Stack.back();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext Context) {
  return driverCall(__func__, [&] { return setCurrent(Context); });
}

CUresult CUDAAPI cuCtxPushCurrent(CUcontext Context) {
  return driverCall(__func__, [&] {
    Lock L(state().M);
    if (!isContext(state(), Context))
      return CUDA_ERROR_INVALID_CONTEXT;
    threadState().Contexts.push_back(Context);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxPopCurrent(CUcontext *Out) {
  return driverCall(__func__, [&] {
    auto &Stack = threadState().Contexts;
    if (Stack.empty())
      return CUDA_ERROR_INVALID_CONTEXT;
    if (Out)
      *Out = Stack.back();
    Stack.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *Out) {
  return contextCall(__func__, [&](CUcontext C) { return store(C->Device, Out); });
}

CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice *Out, CUcontext Context) {
  return thisContext(__func__, Context, [&](CUcontext C) { return store(C->Device, Out); });
}

CUresult CUDAAPI cuCtxGetFlags(unsigned *Out) {
  return contextCall(__func__, [&](CUcontext C) { return store(C->Flags, Out); });
}

CUresult CUDAAPI cuCtxSetFlags(unsigned Flags) {
  return contextCall(__func__, [&](CUcontext C) {
    C->Flags = Flags;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxGetId(CUcontext Context, unsigned long long *Out) {
  return thisContext(__func__, Context, [&](CUcontext C) { return store(C->Id, Out); });
}

CUresult CUDAAPI cuCtxGetApiVersion(CUcontext Context, unsigned *Out) {
  return thisContext(__func__, Context, [&](CUcontext) {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = 3020; // The ABI of contexts since CUDA 3.2.
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxSynchronize() {
  return contextCall(__func__, [&](CUcontext C) { return synchronizeContext(C); });
}

CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext Context) {
  return thisContext(__func__, Context, [&](CUcontext C) { return synchronizeContext(C); });
}

CUresult CUDAAPI cuCtxSetLimit(CUlimit Limit, size_t Value) {
  return contextCall(__func__, [&](CUcontext C) { return setLimit(C, Limit, Value); });
}

CUresult CUDAAPI cuCtxGetLimit(size_t *Out, CUlimit Limit) {
  return contextCall(__func__, [&](CUcontext C) { return getLimit(C, Limit, Out); });
}

CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *Out) {
  return contextCall(__func__, [&](CUcontext C) { return store(C->Cache, Out); });
}

CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache Config) {
  return contextCall(__func__, [&](CUcontext C) {
    C->Cache = Config;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *Least, int *Greatest) {
  return contextCall(__func__, [&](CUcontext) {
    if (Least)
      *Least = 0;
    if (Greatest)
      *Greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxResetPersistingL2Cache() {
  return contextCall(__func__, [&](CUcontext) { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext Peer, unsigned Flags) {
  return contextCall(__func__, [&](CUcontext) { return enablePeer(Peer, Flags); });
}

CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext Peer) {
  return contextCall(__func__, [&](CUcontext) { return disablePeer(Peer); });
}

} // extern "C"
