// Start, fork and exit of the simulated driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace gpuinstr::sim {

/// True once the process is tearing CUDA down (exit handlers): every call answers "deinitialised".
bool unloading();
/// True in a child that was forked after its parent had used CUDA: every call fails with 3.
bool forkedAfterUse();
/// Makes the devices; cuInit. Registers the fork and exit handlers at first use.
CUresult initialise();

} // namespace gpuinstr::sim
