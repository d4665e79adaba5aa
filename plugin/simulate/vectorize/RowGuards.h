// Evaluates a kernel's conditions for a whole row of threads, before the loop over the row.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_VECTORIZE_ROWGUARDS_H
#define GPUINSTR_PLUGIN_SIMULATE_VECTORIZE_ROWGUARDS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <optional>

namespace gpuinstr {

/// An integer that is affine in the thread's index: its values at both ends of the row.
struct RowEnds {
  llvm::Value *First, *Last; ///< in the row
  llvm::Value *Straight;     ///< i1: the row is short, and extended integers do not wrap in it
  int64_t Step;
};

/// The code is put at the end of Row's preheader.
class RowGuards {
public:
  RowGuards(llvm::Loop &Row, llvm::ScalarEvolution &SE);

  /// An i1 that is true only where Condition is Wanted in every thread that evaluates it; null
  /// where that is unknown. Never poison.
  llvm::Value *holds(llvm::Value *Condition, bool Wanted);

  std::optional<RowEnds> ends(llvm::Value *V);
  /// V before the loop, where it is the same in all threads; else null.
  llvm::Value *shared(llvm::Value *V);
  /// Whether `V Predicate Bound` holds in all threads, V being between the ends; code comes from B.
  static llvm::Value *inAll(llvm::IRBuilder<> &B, llvm::CmpInst::Predicate Predicate,
                            const RowEnds &Ends, llvm::Value *Bound);

  /// Whether extending each value between the ends gives an affine sequence, too.
  static llvm::Value *straight(llvm::IRBuilder<> &B, bool Signed, const RowEnds &Ends);

private:
  llvm::Value *holdsCompare(llvm::ICmpInst &Compare, bool Wanted);
  llvm::Value *holdsBoth(llvm::Value *A, llvm::Value *B, bool Wanted);
  llvm::Value *expand(const llvm::SCEV *S);
  std::optional<RowEnds> endsOf(const llvm::SCEV *S);
  std::optional<RowEnds> endsOfLine(const llvm::SCEVAddRecExpr &Line);

  llvm::Loop &Row;
  llvm::ScalarEvolution &SE;
  llvm::Instruction *Before;
  llvm::SCEVExpander Expander;
  const llvm::SCEV *Taken; ///< threads of the row but one
  llvm::Value *Short = nullptr;
};

} // namespace gpuinstr

#endif
