// Copies and sets: checking them when they are asked for, doing them when their turn comes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

#include <functional>

namespace gpuinstr::sim {

/// A copy of \p bytes bytes between linear memory. The memory types say what each side is claimed
/// to be; CU_MEMORYTYPE_UNIFIED lets the address decide.
CUDA_MEMCPY3D linearCopy(CUmemorytype dstType, const void *dst, CUmemorytype srcType,
                         const void *src, size_t bytes);

/// Checks and runs (or records) a copy. \p wait: a synchronous call.
CUresult copy(CUcontext context, const CUDA_MEMCPY3D &params, CUstream stream, bool wait);
CUresult set(CUcontext context, const SetOp &set, CUstream stream, bool wait);

/// Checks only; the lock is held. CUDA_ERROR_INVALID_VALUE for ranges that leave their allocation,
/// freed memory, a host pointer where device memory is claimed and the reverse.
CUresult checkCopy(State &s, const CUDA_MEMCPY3D &params);
CUresult checkSet(State &s, const SetOp &set);

/// The rows that a copy or set touches, one after the other.
void eachRow(const CopyOp &copy,
             const std::function<void(char *to, char *from, size_t bytes)> &visit);
void eachRow(const SetOp &set, const std::function<void(char *to, size_t bytes)> &visit);

void runCopy(const CopyOp &copy);
void runSet(const SetOp &set);

} // namespace gpuinstr::sim
