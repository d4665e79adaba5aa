// What a program can ask the simulator itself: that it is one, and what it ran.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/KernelCode.h"
#include "device/oracle/Oracle.h"
#include "exec/kernels/EmbeddedKernels.h"
#include <utility>

extern "C" {

/// Version of the simulator, counted up when something visible to callers changes.
int gpuinstr_simulator_version() { return 3; }

/// Gives a kernel a host version (core/HostKernel.h).
void gpuinstr_simulator_define_kernel(const void *symbol, const char *name,
                                      gpuinstr_simulator_kernel run, unsigned count,
                                      const size_t *bytes) {
  gpuinstr::sim::defineHostKernel(symbol, name, run, count, bytes);
}

/// Kernels executed so far, graphs' and those not run included, the tool's own (gpuinstr_*) not.
unsigned long long gpuinstr_simulator_kernels_started() { return gpuinstr::sim::kernelsStarted(); }

/// How many of them had no host version: they counted as done and wrote nothing. Launches that were
/// refused for that are counted here, too. While it is 0, memory holds what a device would hold.
unsigned long long gpuinstr_simulator_kernels_not_run() { return gpuinstr::sim::kernelsNotRun(); }

/// Whether a launch of this thread was refused since it asked last, for want of a host version: a
/// device would have run it.
int gpuinstr_simulator_refused() {
  return std::exchange(gpuinstr::sim::threadState().refused, false);
}

/// Whether a __device__ or __constant__ variable lies there. A device's lie in no memory of the
/// host's.
int gpuinstr_simulator_is_device_variable(const void *address) {
  return gpuinstr::sim::inEmbeddedVariables(address);
}

// For GPUINSTR_SIM=oracle=FILE (device/oracle/Oracle.h); else nothing happens.

/// The calls of this thread stand in this line from now on; 0: in none that is judged.
void gpuinstr_simulator_mark(unsigned line) { gpuinstr::sim::threadState().markedLine = line; }

/// The line made the allocation that contains the address.
void gpuinstr_simulator_made(const void *address, unsigned line) {
  if (auto *oracle = gpuinstr::sim::Oracle::get())
    oracle->made(address, line);
}

/// What launches of the kernel read and write.
void gpuinstr_simulator_describe_kernel(const void *symbol,
                                        gpuinstr_simulator_description description) {
  if (auto *oracle = gpuinstr::sim::Oracle::get())
    oracle->describe(symbol, description);
}

void gpuinstr_simulator_reads(const void *address, size_t bytes) {
  if (auto *oracle = gpuinstr::sim::Oracle::get())
    oracle->touch(address, bytes, false);
}

void gpuinstr_simulator_writes(const void *address, size_t bytes) {
  if (auto *oracle = gpuinstr::sim::Oracle::get())
    oracle->touch(address, bytes, true);
}

} // extern "C"
