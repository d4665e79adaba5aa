// Values that live across suspend points, and which of them are cheap to compute again.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_STEPS_LIVEVALUES_H
#define GPUINSTR_PLUGIN_SIMULATE_STEPS_LIVEVALUES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace gpuinstr {

/// The values that are live at the start of each of Blocks. Those of First, which every call of F
/// runs, do not count.
llvm::SmallVector<llvm::SmallVector<llvm::Instruction *, 8>, 8>
liveAt(llvm::Function &F, const llvm::BasicBlock &First, llvm::ArrayRef<llvm::BasicBlock *> Blocks);

/// Whether V can be computed from the arguments of a step and what First computes, in at most Left
/// instructions, which it takes from Left. Registers of the thread do not change.
bool canRepeat(const llvm::Value *V, const llvm::BasicBlock &First, unsigned &Left);
/// Computes V again; Done keeps what was already computed at this place.
llvm::Value *repeat(llvm::Value *V, const llvm::BasicBlock &First, llvm::IRBuilder<> &B,
                    llvm::DenseMap<llvm::Value *, llvm::Value *> &Done);

} // namespace gpuinstr

#endif
