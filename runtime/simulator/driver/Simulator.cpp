// What a program can ask the simulator itself: that it is one, and what it ran.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/KernelCode.h"

extern "C" {

/// Version of the simulator, counted up when something visible to callers changes.
int gpuinstr_simulator_version() { return 2; }

/// Gives a kernel a host version (core/HostKernel.h).
void gpuinstr_simulator_define_kernel(const void *symbol, const char *name,
                                      gpuinstr_simulator_kernel run, unsigned count,
                                      const size_t *bytes) {
  gpuinstr::sim::defineHostKernel(symbol, name, run, count, bytes);
}

/// Kernels executed so far, graphs' and those not run included, the tool's own (gpuinstr_*) not.
unsigned long long gpuinstr_simulator_kernels_started() { return gpuinstr::sim::kernelsStarted(); }

/// How many of them had no host version: they counted as done and wrote nothing. While it is 0,
/// memory holds what a device would hold.
unsigned long long gpuinstr_simulator_kernels_not_run() { return gpuinstr::sim::kernelsNotRun(); }

} // extern "C"
