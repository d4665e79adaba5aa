// What the simulator calls of carried code, and the records that tell it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_KERNELENTRYPOINTS_H
#define GPUINSTR_PLUGIN_SIMULATE_KERNELENTRYPOINTS_H

#include "simulate/EmbeddedKernels.h"

namespace gpuinstr {

/// Adds a runner for each kernel. The library's loop must be linked in before finishRunners.
void addRunners(llvm::Module &M, const DeviceFacts &Facts, Lowering &Low, CarriedUnit &Unit);
void finishRunners(llvm::Module &M);

} // namespace gpuinstr

#endif
