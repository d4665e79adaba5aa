// Where a pointer gets within a function: into its result, into what its parameters point to.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_FLOW_POINTERFLOW_H
#define GPUINSTR_PLUGIN_IR_FLOW_POINTERFLOW_H

#include "ir/analysis/ModuleView.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"

namespace gpuinstr {

/// Where it may get. What is not here is certain, but for code that hides it: a cast of an object's
/// other pointer, assembly.
struct PointerReach {
  bool Result = false;
  llvm::BitVector Arguments; ///< the memory that they point to
};

/// At the start of the pipeline: variables still lie in memory.
class PointerFlows {
public:
  explicit PointerFlows(ModuleView &View) : View(View) {}
  PointerReach ofValue(const llvm::Function &F, const llvm::Value &V);
  /// Of a pointer that lies at Address, or of any in the object there (Whole).
  PointerReach ofContents(const llvm::Function &F, const llvm::Value &Address, bool Whole);
  const PointerReach &ofArgument(const llvm::Function &F, unsigned Number);

  ModuleView &view() { return View; }

private:
  ModuleView &View;
  unsigned Depth = 0;
  llvm::DenseMap<const llvm::Argument *, PointerReach> Known;
};

} // namespace gpuinstr

#endif
