// Contexts: primary and created, the current one of each thread, and what dies with them.
// SPDX-License-Identifier: Apache-2.0
#include "device/context/Context.h"

#include "device/context/Start.h"
#include "device/memory/Allocations.h"
#include "device/stream/Stream.h"
#include "exec/kernels/EmbeddedKernels.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

void activate(State &S, CUcontext Context) {
  Context->Alive = true;
  Context->Fault = CUDA_SUCCESS;
  Context->Id = S.nextId();
  Context->Limits = {};
  Context->Limits[CU_LIMIT_STACK_SIZE] = 1024;
  Context->Limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752;
  Context->Limits[CU_LIMIT_MALLOC_HEAP_SIZE] = size_t(8) << 20;
  Context->Limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
  Context->Limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  Context->Limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  Context->Legacy = std::make_shared<CUstream_st>();
  Context->Legacy->Context = Context;
  Context->Legacy->IsLegacy = true;
  Context->Legacy->Id = S.nextId();
  S.Contexts.insert(Context);
}

template <typename Set> void eraseOf(Set &Handles, CUcontext Context) {
  for (auto It = Handles.begin(); It != Handles.end();) {
    if ((*It)->Context == Context) {
      delete *It;
      It = Handles.erase(It);
    } else {
      ++It;
    }
  }
}

void dropModules(State &S, CUcontext Context) {
  for (CUmodule Module : S.Modules)
    if (Module->Context == Context)
      for (auto &Entry : Module->Functions)
        S.Functions.erase(Entry.second.get());
  eraseOf(S.Modules, Context);
}

/// Ends the work of \p Context, then frees all it owns. The handle itself stays.
void tearDown(Lock &L, State &S, CUcontext Context) {
  waitForContext(L, Context);
  Context->Output.flush();
  abandonCaptures(S, Context);
  for (auto &Entry : Context->Streams) {
    Entry.second->Destroyed = true;
    S.Streams.erase(Entry.first);
  }
  Context->Streams.clear();
  Context->PerThread.clear();
  Context->Legacy->Destroyed = true;
  Context->Legacy.reset();
  for (CUevent Event : std::vector<CUevent>(S.Events.begin(), S.Events.end()))
    if (Event->Context == Context) {
      S.Events.erase(Event);
      delete Event;
    }
  for (CUarray Array : S.Arrays)
    if (Array->Context == Context && !Array->PartOfMipmap)
      S.Devices[Context->Device]->Memory.release(Array->Memory);
  for (CUmipmappedArray Mipmap : S.Mipmaps)
    if (Mipmap->Context == Context)
      for (auto &Level : Mipmap->Levels) {
        S.Devices[Context->Device]->Memory.release(Level->Memory);
        S.Arrays.erase(Level.get());
      }
  eraseOf(S.Mipmaps, Context);
  eraseOf(S.Arrays, Context);
  dropModules(S, Context);
  freeAllOf(S, Context);
  restoreEmbeddedVariables();
  Context->Peers.clear();
  for (CUcontext Other : S.Contexts)
    Other->Peers.erase(Context);
  Context->Alive = false;
  S.Contexts.erase(Context);
  S.Changed.notify_all();
}

} // namespace

CUresult currentContext(CUcontext &Out) {
  State &S = state();
  ThreadState &T = threadState();
  if (T.Contexts.empty() || !T.Contexts.back())
    return CUDA_ERROR_INVALID_CONTEXT;
  Lock L(S.M);
  if (!isContext(S, T.Contexts.back()))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  Out = T.Contexts.back();
  return CUDA_SUCCESS;
}

CUresult runtimeContext(CUcontext &Out) {
  if (CUresult R = initialise())
    return R;
  State &S = state();
  ThreadState &T = threadState();
  Lock L(S.M);
  CUcontext Top = T.Contexts.empty() ? nullptr : T.Contexts.back();
  if (Top && isContext(S, Top)) {
    Out = Top;
    return CUDA_SUCCESS;
  }
  int Ordinal = T.RuntimeDevice;
  for (auto &Dev : S.Devices)
    if (Top == &Dev->Primary)
      Ordinal = Dev->Ordinal;
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext Primary = &S.Devices[Ordinal]->Primary;
  if (!Primary->Alive) {
    activate(S, Primary);
    ++Primary->References;
  }
  if (T.Contexts.empty())
    T.Contexts.push_back(Primary);
  else
    T.Contexts.back() = Primary;
  Out = Primary;
  return CUDA_SUCCESS;
}

CUresult retainPrimary(int Ordinal, CUcontext *Out) {
  State &S = state();
  Lock L(S.M);
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext Primary = &S.Devices[Ordinal]->Primary;
  if (!Primary->Alive)
    activate(S, Primary);
  ++Primary->References;
  *Out = Primary;
  return CUDA_SUCCESS;
}

CUresult releasePrimary(int Ordinal) {
  State &S = state();
  Lock L(S.M);
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext Primary = &S.Devices[Ordinal]->Primary;
  if (Primary->References <= 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--Primary->References == 0 && Primary->Alive)
    tearDown(L, S, Primary);
  return CUDA_SUCCESS;
}

CUresult resetPrimary(int Ordinal) {
  State &S = state();
  Lock L(S.M);
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext Primary = &S.Devices[Ordinal]->Primary;
  if (Primary->Alive)
    tearDown(L, S, Primary);
  Primary->References = 0;
  Primary->Flags = 0;
  return CUDA_SUCCESS;
}

CUresult createContext(int Ordinal, unsigned Flags, CUcontext *Out) {
  State &S = state();
  Lock L(S.M);
  if (!Out || (Flags & ~unsigned(CU_CTX_FLAGS_MASK)))
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  auto *Context = new CUctx_st;
  Context->Device = Ordinal;
  Context->Flags = Flags;
  Context->References = 1;
  activate(S, Context);
  threadState().Contexts.push_back(Context);
  *Out = Context;
  return CUDA_SUCCESS;
}

CUresult destroyContext(CUcontext Context) {
  State &S = state();
  Lock L(S.M);
  if (!Context)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isContext(S, Context) || Context->Primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  tearDown(L, S, Context);
  auto &Stack = threadState().Contexts;
  if (!Stack.empty() && Stack.back() == Context)
    Stack.pop_back();
  // The handle's memory is kept: other threads may still have it on their stacks.
  return CUDA_SUCCESS;
}

CUresult synchronizeContext(CUcontext Context) {
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkSynchronizeAllowed(S, Context))
    return R;
  waitForContext(L, Context);
  return afterWaiting(L, Context);
}

CUresult setCurrent(CUcontext Context) {
  auto &Stack = threadState().Contexts;
  if (!Context) {
    if (!Stack.empty())
      Stack.pop_back();
    return CUDA_SUCCESS;
  }
  State &S = state();
  Lock L(S.M);
  if (!isContext(S, Context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Stack.empty())
    Stack.push_back(Context);
  else
    Stack.back() = Context;
  return CUDA_SUCCESS;
}

CUresult canAccessPeer(int Ordinal, int Peer, int *Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(state(), Peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *Out = Ordinal != Peer;
  return CUDA_SUCCESS;
}

CUresult peerAttribute(CUdevice_P2PAttribute Attribute, int Ordinal, int Peer, int *Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(state(), Peer) || Ordinal == Peer)
    return CUDA_ERROR_INVALID_DEVICE;
  *Out = Attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
         Attribute == CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED;
  return CUDA_SUCCESS;
}

CUresult enablePeer(CUcontext Peer, unsigned Flags) {
  CUcontext Mine = nullptr;
  if (CUresult R = currentContext(Mine))
    return R;
  State &S = state();
  Lock L(S.M);
  if (Flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Peer || !isContext(S, Peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Peer->Device == Mine->Device)
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  return Mine->Peers.insert(Peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult disablePeer(CUcontext Peer) {
  CUcontext Mine = nullptr;
  if (CUresult R = currentContext(Mine))
    return R;
  State &S = state();
  Lock L(S.M);
  if (!Peer || !isContext(S, Peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  return Mine->Peers.erase(Peer) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult getLimit(CUcontext Context, CUlimit Limit, size_t *Value) {
  Lock L(state().M);
  if (!Value || Limit < 0 || Limit >= CU_LIMIT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (Limit >= CU_LIMIT_SHMEM_SIZE)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *Value = Context->Limits[Limit];
  return CUDA_SUCCESS;
}

CUresult setLimit(CUcontext Context, CUlimit Limit, size_t Value) {
  Lock L(state().M);
  if (Limit < 0 || Limit >= CU_LIMIT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (Limit >= CU_LIMIT_SHMEM_SIZE)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (Limit == CU_LIMIT_STACK_SIZE && Value > 512 * 1024)
    return CUDA_ERROR_INVALID_VALUE;
  Context->Limits[Limit] = Value;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
