// Kernel launches: the one place where a kernel is checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Checks and runs (or records) one launch. Every launch of either API ends here.
CUresult launchKernel(CUcontext context, const KernelOp &kernel, CUstream stream);

/// Checks the function handle and the shape. CUDA_ERROR_INVALID_HANDLE: no such function.
/// CUDA_ERROR_INVALID_VALUE: grid, block or shared memory out of range. Needs the lock.
CUresult checkKernel(State &s, const KernelOp &kernel);

/// How many blocks of \p threads threads fit on a multiprocessor.
int blocksPerMultiprocessor(const CUfunc_st &function, int threads, size_t dynamicShared);

} // namespace gpuinstr::sim
