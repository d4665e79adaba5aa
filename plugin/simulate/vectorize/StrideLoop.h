// The loop of a kernel in grid-stride form: `for (i = ...; i < n; i += stride) work`.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_VECTORIZE_STRIDELOOP_H
#define GPUINSTR_PLUGIN_SIMULATE_VECTORIZE_STRIDELOOP_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace gpuinstr {

/// A loop that is the whole kernel and whose iterations differ by the counter alone. It runs while
/// `counter Predicate Bound`.
struct StrideLoop {
  llvm::PHINode *Counter;
  llvm::Value *Start, *Step, *Bound;
  llvm::CmpInst::Predicate Predicate;
  llvm::BasicBlock *Entry; ///< its branch goes to the loop or around it
  llvm::BasicBlock *Latch; ///< its branch goes back or out
  bool EntryGoes;          ///< the value of the branch's condition that enters
  bool LatchLeaves;        ///< that leaves

  /// Starts the counter at Offset more. Bound: the loop's, computed before Row.
  void beginAt(llvm::Value &Offset, llvm::Value &Bound) const;
};

/// In Row, the loop over threads.
std::optional<StrideLoop> findStride(const llvm::Loop &Row, llvm::ScalarEvolution &SE);

} // namespace gpuinstr

#endif
