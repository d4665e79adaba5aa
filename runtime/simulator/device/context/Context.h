// Contexts: primary and created, the current one of each thread, and what dies with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// The current context of this thread. CUDA_ERROR_INVALID_CONTEXT when there is none,
/// CUDA_ERROR_CONTEXT_IS_DESTROYED when it died.
CUresult currentContext(CUcontext &out);
/// For the runtime API: makes the primary context of the thread's device current when there is no
/// current context, and revives it after cudaDeviceReset.
CUresult runtimeContext(CUcontext &out);

CUresult retainPrimary(int ordinal, CUcontext *out);
CUresult releasePrimary(int ordinal);
CUresult resetPrimary(int ordinal);
CUresult createContext(int ordinal, unsigned flags, CUcontext *out);
CUresult destroyContext(CUcontext context);
CUresult synchronizeContext(CUcontext context);
/// Makes \p context (null: none) the top of this thread's stack in place of the present top.
CUresult setCurrent(CUcontext context);

/// Whether one device may access another's memory.
CUresult canAccessPeer(int ordinal, int peer, int *out);
CUresult peerAttribute(CUdevice_P2PAttribute attribute, int ordinal, int peer, int *out);
CUresult enablePeer(CUcontext peer, unsigned flags);
CUresult disablePeer(CUcontext peer);
CUresult getLimit(CUcontext context, CUlimit limit, size_t *value);
CUresult setLimit(CUcontext context, CUlimit limit, size_t value);

} // namespace gpuinstr::sim
