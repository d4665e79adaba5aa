// The loop of a kernel in grid-stride form: `for (i = ...; i < n; i += stride) work`.
// SPDX-License-Identifier: Apache-2.0
#include "StrideLoop.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpuinstr {
namespace {

bool touchesMemory(const Instruction &I) {
  const auto *Known = dyn_cast<IntrinsicInst>(&I);
  return I.mayReadOrWriteMemory() && !(Known && Known->isAssumeLikeIntrinsic());
}

/// What runs once a thread would run once a round: it must not matter. Nor may the loop leave
/// anything but memory behind.
bool isAllThatIsDone(const Loop &Row, const Loop &Inner) {
  for (const BasicBlock *Block : Row.blocks())
    for (const Instruction &I : *Block) {
      if (!Inner.contains(Block) && touchesMemory(I))
        return false;
      for (const User *U : I.users())
        if (Inner.contains(Block) && !Inner.contains(cast<Instruction>(U)))
          return false;
    }
  return true;
}

/// The comparison of Value that lets Branch go to To, as `Value Predicate Bound`.
ICmpInst *comparisonFor(BranchInst &Branch, const BasicBlock *To, const Value *V,
                        CmpInst::Predicate &Predicate, Value *&Bound) {
  auto *Compare = Branch.isConditional() ? dyn_cast<ICmpInst>(Branch.getCondition()) : nullptr;
  if (!Compare || Compare->getOperand(0) == Compare->getOperand(1))
    return nullptr;
  Predicate =
      Branch.getSuccessor(0) == To ? Compare->getPredicate() : Compare->getInversePredicate();
  Bound = Compare->getOperand(1);
  if (Compare->getOperand(1) == V) {
    Predicate = CmpInst::getSwappedPredicate(Predicate);
    Bound = Compare->getOperand(0);
  } else if (Compare->getOperand(0) != V) {
    return nullptr;
  }
  return Compare;
}

} // namespace

void StrideLoop::beginAt(Value &Offset) const {
  IRBuilder<> B(&*cast<Instruction>(Start)->getInsertionPointAfterDef().value());
  Value *Later = B.CreateAdd(Start, &Offset);
  Counter->replaceUsesOfWith(Start, Later);
  EntryCompare->replaceUsesOfWith(Start, Later);
}

std::optional<StrideLoop> findStride(const Loop &Row) {
  if (Row.getSubLoops().size() != 1)
    return std::nullopt;
  const Loop &Inner = *Row.getSubLoops().front();
  BasicBlock *Header = Inner.getHeader(), *Latch = Inner.getLoopLatch();
  BasicBlock *Before = Inner.getLoopPreheader();
  BasicBlock *Entry = Before ? Before->getSinglePredecessor() : nullptr;
  auto *Back = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *In = Entry ? dyn_cast<BranchInst>(Entry->getTerminator()) : nullptr;
  if (!Back || !In || !Inner.isInnermost() || Inner.getExitingBlock() != Latch ||
      !hasSingleElement(Header->phis()) || !Row.contains(Entry) || !isAllThatIsDone(Row, Inner))
    return std::nullopt;
  StrideLoop Found;
  Found.Counter = &*Header->phis().begin();
  Found.Entry = Entry;
  Found.Latch = Latch;
  Found.Start = Found.Counter->getIncomingValueForBlock(Before);
  const Value *Next = Found.Counter->getIncomingValueForBlock(Latch);
  if (!isa<Instruction>(Found.Start) || !Found.Start->getType()->isIntegerTy() ||
      !match(Next, m_c_Add(m_Specific(Found.Counter), m_Value(Found.Step))))
    return std::nullopt;
  CmpInst::Predicate Again;
  Value *BoundAgain = nullptr;
  Found.EntryCompare = comparisonFor(*In, Before, Found.Start, Found.Predicate, Found.Bound);
  if (!Found.EntryCompare || !Found.EntryCompare->hasOneUse() ||
      !comparisonFor(*Back, Header, Next, Again, BoundAgain) || Again != Found.Predicate ||
      BoundAgain != Found.Bound || !ICmpInst::isRelational(Again))
    return std::nullopt;
  Found.EntryGoes = In->getSuccessor(0) == Before;
  Found.LatchLeaves = Back->getSuccessor(0) != Header;
  return Found;
}

} // namespace gpuinstr
