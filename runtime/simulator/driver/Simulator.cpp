// How a program finds out that it runs on the simulator.
// SPDX-License-Identifier: Apache-2.0
#include "core/Launch.h"

extern "C" {

/// Version of the simulator, counted up when something visible to callers changes.
int gpuinstr_simulator_version() { return 1; }

/// 1 when kernels are executed, 0 when a launch is only checked.
int gpuinstr_simulator_runs_kernels() { return gpuinstr::sim::runsKernels(); }

} // extern "C"
