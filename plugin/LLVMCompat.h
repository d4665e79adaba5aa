// What differs between the LLVM versions that the plugin supports (19 to 22), in one place.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_LLVMCOMPAT_H
#define GPUINSTR_PLUGIN_LLVMCOMPAT_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

// The pass plugin interface moved to its own library in LLVM 22.
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace gpuinstr::compat {

/// A Triple since LLVM 21, a string before.
inline llvm::Triple targetTriple(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple());
}

inline void copyTarget(llvm::Module &To, const llvm::Module &From) {
  To.setTargetTriple(From.getTargetTriple());
  To.setDataLayout(From.getDataLayout());
}

} // namespace gpuinstr::compat

#endif
