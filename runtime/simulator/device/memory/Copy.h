// Copies and sets: checking them when they are asked for, doing them when their turn comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/oracle/Oracle.h"
#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// A copy of \p bytes bytes between linear memory. The memory types say what each side is claimed
/// to be; CU_MEMORYTYPE_UNIFIED lets the address decide.
CUDA_MEMCPY3D linearCopy(CUmemorytype dstType, const void *dst, CUmemorytype srcType,
                         const void *src, size_t bytes);

/// Checks and runs (or records) a copy. \p wait: a synchronous call, which waits where the host's
/// memory takes part.
CUresult copy(CUcontext context, const CUDA_MEMCPY3D &params, CUstream stream, bool wait);
CUresult set(CUcontext context, const SetOp &set, CUstream stream, bool wait);

/// Checks only; the lock is held. CUDA_ERROR_INVALID_VALUE for ranges that leave their allocation,
/// freed memory, a host pointer where device memory is claimed and the reverse.
CUresult checkCopy(State &s, const CUDA_MEMCPY3D &params);
CUresult checkSet(State &s, const SetOp &set);

/// What the oracle is told.
TransferRows rowsOf(const CopyOp &copy);
TransferRows rowsOf(const SetOp &set);

void runCopy(const CopyOp &copy);
void runSet(const SetOp &set);

} // namespace gpuinstr::sim
