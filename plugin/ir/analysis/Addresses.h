// Entry points whose address is taken.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_ADDRESSES_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_ADDRESSES_H

#include "ir/analysis/ModuleView.h"
#include <vector>

namespace gpuinstr {

/// An entry point whose address goes somewhere.
struct TakenAddress {
  llvm::Function *EntryPoint;
  const llvm::Instruction *Where = nullptr;     ///< first use in code
  const llvm::GlobalVariable *Holder = nullptr; ///< first use in a constant, when there is no code
};

struct TakenAddresses {
  std::vector<TakenAddress> Wrappable; ///< every use may name a thunk instead
  std::vector<std::string> Unseen;     ///< calls through these addresses stay unseen; sorted
};

/// Compared, weak and aliased addresses stay as they are, and so do names given to dlsym,
/// cuGetProcAddress and the like: those are Unseen.
TakenAddresses findTakenAddresses(llvm::Module &M, ModuleView &View);

/// Lets every use of EntryPoint but its calls name Thunk.
void replaceAddress(llvm::Function &EntryPoint, llvm::Function &Thunk);

} // namespace gpuinstr

#endif
