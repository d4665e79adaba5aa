// Which functions of the module an indirect call may reach.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_INDIRECTCALLS_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_INDIRECTCALLS_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <utility>

namespace gpuinstr {

/// What such a call and what it may reach have in common: the type of the function, and its place
/// in the vtable, or none for pointers to functions. Classes that do not know each other may agree
/// in both; those of other modules are not known.
class IndirectTargets {
public:
  /// Takes note of all places that F's address stands in.
  void add(const llvm::Function &F);
  bool empty() const { return Known.empty(); }
  /// Whether F has a call that may reach one of those.
  bool reachedFrom(const llvm::Function &F) const;

private:
  using Target = std::pair<const llvm::FunctionType *, uint64_t>;
  llvm::DenseSet<Target> Known;
};

} // namespace gpuinstr

#endif
