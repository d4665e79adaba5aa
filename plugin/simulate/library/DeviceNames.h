// Symbols of device code that the plugin embeds in a host object.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_LIBRARY_DEVICENAMES_H
#define GPUINSTR_PLUGIN_SIMULATE_LIBRARY_DEVICENAMES_H

#include "llvm/ADT/StringRef.h"

namespace gpuinstr {

/// Every embedded device function and variable.
inline constexpr llvm::StringLiteral SimPrefix = "__gpuinstr_sim_";

/// Functions that run a kernel's threads: what the simulator calls.
inline constexpr llvm::StringLiteral RunPrefix = "__gpuinstr_sim_run_";

/// Functions that were intrinsics llvm.nvvm.*, until they are lowered.
inline constexpr llvm::StringLiteral NvvmPrefix = "gpuinstr.nvvm.";

/// Shared memory that the system keeps in each block, 1 KiB, when code asks for it.
inline constexpr llvm::StringLiteral ReservedShared = "__gpuinstr_sim_reserved";

} // namespace gpuinstr

#endif
