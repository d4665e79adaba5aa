// What stays as it is from one round of a loop to the next.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_WAITS_ROUNDCHANGES_H
#define GPUINSTR_PLUGIN_IR_WAITS_ROUNDCHANGES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gpuinstr {

/// What changes from one round of the loop around a wait to the next, or between two calls of the
/// function where there is no loop.
class RoundChanges {
public:
  explicit RoundChanges(const llvm::Function &F)
      : Dominators(const_cast<llvm::Function &>(F)), Loops(Dominators), F(F) {}

  const llvm::Loop *around(const llvm::BasicBlock &Block) const { return Loops.getLoopFor(&Block); }

  /// Whether all that decides between `From` and `Block`, which it leads to, stays as it is, but
  /// for what `IsCheck` says of the ends of blocks.
  bool isSteady(const llvm::BasicBlock &Block, const llvm::BasicBlock &From,
                llvm::function_ref<bool(const llvm::Instruction &)> IsCheck) const {
    const llvm::Loop *Around = around(From);
    const llvm::DomTreeNode *Node = Dominators.getNode(&Block);
    while (Node && Node->getBlock() != &From && (Node = Node->getIDom())) {
      const llvm::BasicBlock *Fork = Node->getBlock();
      const llvm::Value *Condition = nullptr;
      if (auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Fork->getTerminator()))
        Condition = Branch->isConditional() ? Branch->getCondition() : nullptr;
      else if (auto *Switch = llvm::dyn_cast<llvm::SwitchInst>(Fork->getTerminator()))
        Condition = Switch->getCondition();
      if (Condition && around(*Fork) == Around && changes(*Condition, Around) &&
          !IsCheck(*Fork->getTerminator()))
        return false;
    }
    return true;
  }

private:
  static constexpr unsigned MaxDepth = 12;

  bool changes(const llvm::Value &V, const llvm::Loop *Around, unsigned Depth = 0) const {
    if (llvm::isa<llvm::Argument>(V)) // of a loop that is elsewhere it may be the counter
      return !Around && !V.getType()->isPointerTy();
    const auto *I = llvm::dyn_cast<llvm::Instruction>(&V);
    if (!I || llvm::isa<llvm::AllocaInst>(I))
      return false;
    if (Depth == MaxDepth)
      return true;
    if (const auto *Load = llvm::dyn_cast<llvm::LoadInst>(I);
        Load && isWritten(*Load, Around, Depth))
      return true;
    return llvm::any_of(I->operands(), [&](const llvm::Use &U) {
      return !llvm::isa<llvm::BasicBlock>(U) && changes(*U, Around, Depth + 1);
    });
  }

  /// In the loop; without one, by an argument that is a local variable here.
  bool isWritten(const llvm::LoadInst &Load, const llvm::Loop *Around, unsigned Depth) const {
    const llvm::Value *Place = Load.getPointerOperand();
    for (const llvm::Instruction &I : llvm::instructions(F)) {
      if (Around && !Around->contains(&I))
        continue;
      if (const auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I)) {
        if (isSamePlace(*Store->getPointerOperand(), *Place) &&
            (Around || changes(*Store->getValueOperand(), Around, Depth + 1)))
          return true;
      } else if (const auto *Call = llvm::dyn_cast<llvm::CallBase>(&I)) {
        if (Around && !llvm::isa<llvm::IntrinsicInst>(I) &&
            llvm::isa<llvm::AllocaInst>(Place->stripInBoundsOffsets()) &&
            llvm::is_contained(Call->args(), Place))
          return true;
      }
    }
    return false;
  }

  /// Also the same member, of whatever object.
  static bool isSamePlace(const llvm::Value &A, const llvm::Value &B) {
    if (&A == &B)
      return true;
    const auto *First = llvm::dyn_cast<llvm::GetElementPtrInst>(&A),
               *Second = llvm::dyn_cast<llvm::GetElementPtrInst>(&B);
    return First && Second && First->getSourceElementType() == Second->getSourceElementType() &&
           First->getNumIndices() == Second->getNumIndices() &&
           std::equal(First->idx_begin(), First->idx_end(), Second->idx_begin());
  }

  llvm::DominatorTree Dominators;
  llvm::LoopInfo Loops;
  const llvm::Function &F;
};

} // namespace gpuinstr

#endif
