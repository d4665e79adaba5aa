// Copies and sets: checking them when they are asked for, doing them when their turn comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// A copy of \p Bytes bytes between linear memory. The memory types say what each side is claimed
/// to be; CU_MEMORYTYPE_UNIFIED lets the address decide.
CUDA_MEMCPY3D linearCopy(CUmemorytype DstType, const void *Dst, CUmemorytype SrcType,
                         const void *Src, size_t Bytes);

/// Checks and runs (or records) a copy. \p Wait: a synchronous call.
CUresult copy(CUcontext Context, const CUDA_MEMCPY3D &Params, CUstream Stream, bool Wait);
CUresult set(CUcontext Context, const SetOp &Set, CUstream Stream, bool Wait);

/// Checks only; the lock is held. CUDA_ERROR_INVALID_VALUE for ranges that leave their allocation,
/// freed memory, a host pointer where device memory is claimed and the reverse.
CUresult checkCopy(State &S, const CUDA_MEMCPY3D &Params);
CUresult checkSet(State &S, const SetOp &Set);

void runCopy(const CopyOp &Copy);
void runSet(const SetOp &Set);

} // namespace gpuinstr::sim
