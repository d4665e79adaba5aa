// Arguments of kernels that are addresses of the host's own memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"
#include "gpuinstr/simulated_kernel.h"

namespace gpuinstr::sim {

/// One line on stderr for each kernel: here it may use such memory, a real device mostly reports an
/// illegal access. With the lock held.
void tellHostArguments(State &s, const CUfunc_st &function, const gpuinstr_sim_kernel &kernel,
                       void *const *arguments);

} // namespace gpuinstr::sim
