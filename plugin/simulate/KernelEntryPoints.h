// The functions by which the simulator runs a kernel's threads.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_KERNELENTRYPOINTS_H
#define GPUINSTR_PLUGIN_SIMULATE_KERNELENTRYPOINTS_H

#include "simulate/EmbeddedKernels.h"

namespace gpuinstr {

/// Adds an entry point for each kernel, to be filled by finishEntryPoints, which needs the
/// library's loops in M.
void addEntryPoints(llvm::Module &M, const DeviceFacts &Facts, Lowering &Low, EmbeddedUnit &Unit);
void finishEntryPoints(llvm::Module &M);

} // namespace gpuinstr

#endif
