// Contexts: primary and created, the current one of each thread, and what dies with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// The current context of this thread. CUDA_ERROR_INVALID_CONTEXT when there is none,
/// CUDA_ERROR_CONTEXT_IS_DESTROYED when it died.
CUresult currentContext(CUcontext &Out);
/// For the runtime API: makes the primary context of the thread's device current when there is no
/// current context, and revives it after cudaDeviceReset.
CUresult runtimeContext(CUcontext &Out);

CUresult retainPrimary(int Ordinal, CUcontext *Out);
CUresult releasePrimary(int Ordinal);
CUresult resetPrimary(int Ordinal);
CUresult createContext(int Ordinal, unsigned Flags, CUcontext *Out);
CUresult destroyContext(CUcontext Context);
CUresult synchronizeContext(CUcontext Context);
/// Makes \p Context (null: none) the top of this thread's stack in place of the present top.
CUresult setCurrent(CUcontext Context);

/// Whether one device may access another's memory.
CUresult canAccessPeer(int Ordinal, int Peer, int *Out);
CUresult peerAttribute(CUdevice_P2PAttribute Attribute, int Ordinal, int Peer, int *Out);
CUresult enablePeer(CUcontext Peer, unsigned Flags);
CUresult disablePeer(CUcontext Peer);
CUresult getLimit(CUcontext Context, CUlimit Limit, size_t *Value);
CUresult setLimit(CUcontext Context, CUlimit Limit, size_t Value);

} // namespace gpuinstr::sim
