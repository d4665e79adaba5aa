// Where LLVM's headers differ between LLVM 19 to 22.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_COMPAT_LLVMCOMPAT_H
#define GPUINSTR_PLUGIN_COMPAT_LLVMCOMPAT_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

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

/// Asked for the layout up to LLVM 20.
template <class Expander = llvm::SCEVExpander>
Expander expanderFor(llvm::ScalarEvolution &SE, const llvm::DataLayout &Layout, const char *Name) {
  if constexpr (std::is_constructible_v<Expander, llvm::ScalarEvolution &, const char *>)
    return Expander(SE, Name);
  else
    return Expander(SE, Layout, Name);
}

/// Calls add(manager) for the end of every pipeline; LLVM 20 has added an argument.
template <class Builder, class Add> void atOptimizerEnd(Builder &PB, Add add) {
  PB.registerOptimizerLastEPCallback([add](auto &Manager, auto &&...) { add(Manager); });
}

} // namespace gpuinstr::compat

#endif
