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

void activate(State &s, CUcontext context) {
  context->alive = true;
  context->fault = CUDA_SUCCESS;
  context->id = s.nextId();
  context->limits = {};
  context->limits[CU_LIMIT_STACK_SIZE] = 1024;
  context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752;
  context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = size_t(8) << 20;
  context->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
  context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  context->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  context->legacy = std::make_shared<CUstream_st>();
  context->legacy->context = context;
  context->legacy->isLegacy = true;
  context->legacy->id = s.nextId();
  s.contexts.insert(context);
}

template <typename Set> void eraseOf(Set &handles, CUcontext context) {
  for (auto it = handles.begin(); it != handles.end();) {
    if ((*it)->context == context) {
      delete *it;
      it = handles.erase(it);
    } else {
      ++it;
    }
  }
}

void dropModules(State &s, CUcontext context) {
  for (CUmodule module : s.modules)
    if (module->context == context)
      for (auto &entry : module->functions)
        s.functions.erase(entry.second.get());
  eraseOf(s.modules, context);
}

/// Ends the work of \p context, then frees all it owns. The handle itself stays.
void tearDown(Lock &l, State &s, CUcontext context) {
  waitForContext(l, context);
  context->output.flush();
  abandonCaptures(s, context);
  for (auto &entry : context->streams) {
    entry.second->destroyed = true;
    s.streams.erase(entry.first);
  }
  context->streams.clear();
  context->perThread.clear();
  context->legacy->destroyed = true;
  context->legacy.reset();
  for (CUevent event : std::vector<CUevent>(s.events.begin(), s.events.end()))
    if (event->context == context) {
      s.events.erase(event);
      delete event;
    }
  for (CUarray array : s.arrays)
    if (array->context == context && !array->partOfMipmap)
      s.devices[context->device]->memory.release(array->memory);
  for (CUmipmappedArray mipmap : s.mipmaps)
    if (mipmap->context == context)
      for (auto &level : mipmap->levels) {
        s.devices[context->device]->memory.release(level->memory);
        s.arrays.erase(level.get());
      }
  eraseOf(s.mipmaps, context);
  eraseOf(s.arrays, context);
  dropModules(s, context);
  freeAllOf(s, context);
  restoreEmbeddedVariables();
  context->peers.clear();
  for (CUcontext other : s.contexts)
    other->peers.erase(context);
  context->alive = false;
  s.contexts.erase(context);
  s.changed.notify_all();
}

} // namespace

CUresult currentContext(CUcontext &out) {
  State &s = state();
  ThreadState &t = threadState();
  if (t.contexts.empty() || !t.contexts.back())
    return CUDA_ERROR_INVALID_CONTEXT;
  Lock l(s.m);
  if (!isContext(s, t.contexts.back()))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  out = t.contexts.back();
  return CUDA_SUCCESS;
}

CUresult runtimeContext(CUcontext &out) {
  if (CUresult r = initialise())
    return r;
  State &s = state();
  ThreadState &t = threadState();
  Lock l(s.m);
  CUcontext top = t.contexts.empty() ? nullptr : t.contexts.back();
  if (top && isContext(s, top)) {
    out = top;
    return CUDA_SUCCESS;
  }
  int ordinal = t.runtimeDevice;
  for (auto &dev : s.devices)
    if (top == &dev->primary)
      ordinal = dev->ordinal;
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext primary = &s.devices[ordinal]->primary;
  if (!primary->alive) {
    activate(s, primary);
    ++primary->references;
  }
  if (t.contexts.empty())
    t.contexts.push_back(primary);
  else
    t.contexts.back() = primary;
  out = primary;
  return CUDA_SUCCESS;
}

CUresult retainPrimary(int ordinal, CUcontext *out) {
  State &s = state();
  Lock l(s.m);
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext primary = &s.devices[ordinal]->primary;
  if (!primary->alive)
    activate(s, primary);
  ++primary->references;
  *out = primary;
  return CUDA_SUCCESS;
}

CUresult releasePrimary(int ordinal) {
  State &s = state();
  Lock l(s.m);
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext primary = &s.devices[ordinal]->primary;
  if (primary->references <= 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary->references == 0 && primary->alive)
    tearDown(l, s, primary);
  return CUDA_SUCCESS;
}

CUresult resetPrimary(int ordinal) {
  State &s = state();
  Lock l(s.m);
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext primary = &s.devices[ordinal]->primary;
  if (primary->alive)
    tearDown(l, s, primary);
  primary->references = 0;
  primary->flags = 0;
  return CUDA_SUCCESS;
}

CUresult createContext(int ordinal, unsigned flags, CUcontext *out) {
  State &s = state();
  Lock l(s.m);
  if (!out || (flags & ~unsigned(CU_CTX_FLAGS_MASK)))
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  auto *context = new CUctx_st;
  context->device = ordinal;
  context->flags = flags;
  context->references = 1;
  activate(s, context);
  threadState().contexts.push_back(context);
  *out = context;
  return CUDA_SUCCESS;
}

CUresult destroyContext(CUcontext context) {
  State &s = state();
  Lock l(s.m);
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isContext(s, context) || context->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  tearDown(l, s, context);
  auto &stack = threadState().contexts;
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  // The handle's memory is kept: other threads may still have it on their stacks.
  return CUDA_SUCCESS;
}

CUresult synchronizeContext(CUcontext context) {
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkSynchronizeAllowed(s, context))
    return r;
  waitForContext(l, context);
  return afterWaiting(l, context);
}

CUresult setCurrent(CUcontext context) {
  auto &stack = threadState().contexts;
  if (!context) {
    if (!stack.empty())
      stack.pop_back();
    return CUDA_SUCCESS;
  }
  State &s = state();
  Lock l(s.m);
  if (!isContext(s, context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (stack.empty())
    stack.push_back(context);
  else
    stack.back() = context;
  return CUDA_SUCCESS;
}

CUresult canAccessPeer(int ordinal, int peer, int *out) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(state(), peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *out = ordinal != peer;
  return CUDA_SUCCESS;
}

CUresult peerAttribute(CUdevice_P2PAttribute attribute, int ordinal, int peer, int *out) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(state(), peer) || ordinal == peer)
    return CUDA_ERROR_INVALID_DEVICE;
  *out = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
         attribute == CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED;
  return CUDA_SUCCESS;
}

CUresult enablePeer(CUcontext peer, unsigned flags) {
  CUcontext mine = nullptr;
  if (CUresult r = currentContext(mine))
    return r;
  State &s = state();
  Lock l(s.m);
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!peer || !isContext(s, peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (peer->device == mine->device)
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  return mine->peers.insert(peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult disablePeer(CUcontext peer) {
  CUcontext mine = nullptr;
  if (CUresult r = currentContext(mine))
    return r;
  State &s = state();
  Lock l(s.m);
  if (!peer || !isContext(s, peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  return mine->peers.erase(peer) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult getLimit(CUcontext context, CUlimit limit, size_t *value) {
  Lock l(state().m);
  if (!value || limit < 0 || limit >= CU_LIMIT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (limit >= CU_LIMIT_SHMEM_SIZE)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = context->limits[limit];
  return CUDA_SUCCESS;
}

CUresult setLimit(CUcontext context, CUlimit limit, size_t value) {
  Lock l(state().m);
  if (limit < 0 || limit >= CU_LIMIT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (limit >= CU_LIMIT_SHMEM_SIZE)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (limit == CU_LIMIT_STACK_SIZE && value > 512 * 1024)
    return CUDA_ERROR_INVALID_VALUE;
  context->limits[limit] = value;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
