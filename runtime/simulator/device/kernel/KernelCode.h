// What runs for a kernel: the code that its executable embeds, or a host version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"
#include "exec/kernels/EmbeddedKernels.h"

extern "C" {
/// A kernel on the host: does the work of every thread of the grid, in any order. The arguments are
/// those of cudaLaunchKernel.
typedef void (*gpuinstr_simulator_kernel)(const unsigned grid[3], const unsigned block[3],
                                          void **arguments);
}

namespace gpuinstr::sim {

/// Gives a kernel a host version, for launches from now on. Known by the address that the program
/// launches it by (\p symbol), or by its name in the image (\p name) for functions of a module;
/// either may be null. \p bytes are the sizes of its \p count parameters.
void defineHostKernel(const void *symbol, const char *name, gpuinstr_simulator_kernel run,
                      unsigned count, const size_t *bytes);

/// Whether a launch of \p function can do its work: it has a host version or embedded code, or
/// may be skipped (kernels=skip). Else says why on stderr, once for each kernel.
/// CUDA_ERROR_NO_BINARY_FOR_GPU: no code; CUDA_ERROR_NOT_SUPPORTED: it needs what is not simulated.
/// Needs the lock.
CUresult checkRunnable(const CUfunc_st &function);

/// The code embedded for \p function; Record is null where there is none.
EmbeddedKernel embeddedKernel(const CUfunc_st &function);

/// Place and size of a parameter, as cuFuncGetParamInfo has them. CUDA_ERROR_INVALID_VALUE: none of
/// that index; CUDA_ERROR_NOT_FOUND: nothing is known of the kernel's code. Takes the lock.
CUresult parameterInfo(const CUfunc_st &function, size_t index, size_t *offset, size_t *bytes);

/// Bytes of static shared memory; 0 for a kernel without embedded code.
inline uint32_t staticSharedBytes(const CUfunc_st &function) {
  EmbeddedKernel embedded = embeddedKernel(function);
  return embedded.record ? embedded.record->static_shared_bytes : 0;
}

/// Whether the kernel runs as long as it likes, and so not on the caller's thread.
bool runsAsynchronously(const KernelOp &kernel);

/// Copies a launch's arguments, as CUDA does: the work may run later. Finds what will be run; does
/// nothing where there is nothing. Takes the lock.
void keepArguments(KernelOp &kernel);

/// Executes one kernel, in stream order, with no lock held: its host version where the program
/// brought one (defineHostKernel), else it counts as done and writes nothing.
void runKernel(const KernelOp &kernel, CUstream stream);

/// Kernels that came to execution, the tool's own (`gpuinstr_*`) aside, and how many of them only
/// counted as done.
uint64_t kernelsStarted();
uint64_t kernelsNotRun();

} // namespace gpuinstr::sim
