// Kernels that run after all: those of which the program brought a host version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/State.h"

extern "C" {
/// A kernel on the host: does the work of every thread of the grid, in any order. The arguments are
/// those of cudaLaunchKernel.
typedef void (*gpuinstr_simulator_kernel)(const unsigned grid[3], const unsigned block[3],
                                          void **arguments);
}

namespace gpuinstr::sim {

/// Gives a kernel a host version, for launches from now on. Known by the address that the program
/// launches it by (\p Symbol), or by its name in the image (\p Name) for functions of a module;
/// either may be null. \p Bytes are the sizes of its \p Count parameters.
void defineHostKernel(const void *Symbol, const char *Name, gpuinstr_simulator_kernel Run,
                      unsigned Count, const size_t *Bytes);

/// Copies a launch's arguments, as CUDA does: the work may run later. Finds the host version; does
/// nothing where there is none, or where the arguments come as one buffer (`extra`). Takes the
/// lock.
void keepArguments(KernelOp &Kernel);

/// Kernels that came to execution, the tool's own (`gpuinstr_*`) aside, and how many of them only
/// counted as done.
uint64_t kernelsStarted();
uint64_t kernelsNotRun();

} // namespace gpuinstr::sim
