// Links the simulated device's library, which the plugin holds as bitcode.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_LIBRARY_LIBRARYLINKER_H
#define GPUINSTR_PLUGIN_SIMULATE_LIBRARY_LIBRARYLINKER_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include <string>

namespace gpuinstr {

/// Names of the functions that the library defines.
const llvm::StringSet<> &libraryNames();

/// Links what M uses of the library into it, internal. Returns "" or an error.
std::string linkLibrary(llvm::Module &M);

} // namespace gpuinstr

#endif
