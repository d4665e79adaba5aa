// Turns a module for NVPTX into one for the host: one flat memory, the host's data layout.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_COMPILE_RETARGET_H
#define GPUINSTR_PLUGIN_SIMULATE_COMPILE_RETARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace gpuinstr {

/// Facts of device code that retargeting erases.
struct DeviceFacts {
  struct Kernel {
    std::string Name;
    unsigned MaxThreads = 0; ///< of __launch_bounds__, 0 none
  };
  llvm::SmallVector<Kernel, 8> Kernels;
  llvm::StringMap<unsigned> Space; ///< address space of each variable outside 0
};

/// Leaves Device unusable. Null with Error set when LLVM cannot read the result.
std::unique_ptr<llvm::Module> retarget(llvm::Module &Device, const llvm::Module &Host,
                                       DeviceFacts &Facts, std::string &Error);

} // namespace gpuinstr

#endif
