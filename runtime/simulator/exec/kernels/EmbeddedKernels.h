// Kernels and variables that executables embed as host code (gpuinstr/simulated_kernel.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpuinstr/simulated_kernel.h"

#include <cstddef>
#include <string>

namespace gpuinstr::sim {

/// An embedded kernel; Record is null where there is none.
struct EmbeddedKernel {
  const gpuinstr_sim_kernel *record = nullptr;
  uint32_t staticBytes = 0; ///< Of shared memory at thread->shared.
};

/// By the address that the program launches by, else by the mangled name of a registered kernel.
EmbeddedKernel findEmbeddedKernel(const void *stub, const std::string &name);

/// By the host's variable, else by the mangled name. Null where there is none.
const gpuinstr_sim_variable *findEmbeddedVariable(const void *shadow, const std::string &name);

/// Why the device code of some unit could not be embedded; empty when no reason is known.
std::string whyNotEmbedded();

/// Whether \p address lies in a embedded __constant__ variable.
bool inEmbeddedConstants(const void *address);
/// ... in an embedded __device__ or __constant__ one.
bool inEmbeddedVariables(const void *address);

/// Gives all variables their initial values again (a device was reset).
void restoreEmbeddedVariables();

/// "add(int*, int)" for "_Z3addPii"; a name that is no mangled one stays.
std::string readableName(const std::string &mangled);

} // namespace gpuinstr::sim
