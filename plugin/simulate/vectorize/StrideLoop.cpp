// The loop of a kernel in grid-stride form: `for (i = ...; i < n; i += stride) work`.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/vectorize/StrideLoop.h"
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

/// All threads share one stack, so a round would see stack memory that an earlier one left.
bool usesStack(const Function &F) {
  return any_of(F.getEntryBlock(), [](const Instruction &I) { return isa<AllocaInst>(I); });
}

/// Code outside of the loop would run once per round instead of once per thread: it must have no
/// side effects. The loop's only results may be in memory.
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

/// Left Predicate Right.
struct Comparison {
  CmpInst::Predicate Predicate;
  Value *Left, *Right;
};

/// The condition on which Branch goes to To.
std::optional<Comparison> comparisonFor(const BranchInst &Branch, const BasicBlock *To) {
  const auto *Compare =
      Branch.isConditional() ? dyn_cast<ICmpInst>(Branch.getCondition()) : nullptr;
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() || !Compare->isRelational())
    return std::nullopt;
  return Comparison{Branch.getSuccessor(0) == To ? Compare->getPredicate()
                                                 : Compare->getInversePredicate(),
                    Compare->getOperand(0), Compare->getOperand(1)};
}

Comparison turned(const Comparison &C) {
  return {CmpInst::getSwappedPredicate(C.Predicate), C.Right, C.Left};
}

/// Whether A is equivalent to B, which may compare the same values extended: LLVM widens loop
/// counters, but not the guard before the loop.
bool isSame(ScalarEvolution &SE, const Comparison &A, const Comparison &B) {
  const SCEV *Left = SE.getSCEV(A.Left), *Right = SE.getSCEV(A.Right);
  const SCEV *WideLeft = SE.getSCEV(B.Left), *WideRight = SE.getSCEV(B.Right);
  Type *Wide = WideLeft->getType();
  if (Left->getType() == Wide)
    return A.Predicate == B.Predicate && Left == WideLeft && Right == WideRight;
  if (SE.getTypeSizeInBits(Left->getType()) > SE.getTypeSizeInBits(Wide))
    return false;
  if (ICmpInst::isSigned(A.Predicate))
    return A.Predicate == B.Predicate && SE.getSignExtendExpr(Left, Wide) == WideLeft &&
           SE.getSignExtendExpr(Right, Wide) == WideRight;
  return A.Predicate == ICmpInst::getUnsignedPredicate(B.Predicate) &&
         SE.getZeroExtendExpr(Left, Wide) == WideLeft &&
         SE.getZeroExtendExpr(Right, Wide) == WideRight;
}

/// The counter's start is known where the loop is entered or not.
bool moveStart(Instruction &Start, const BasicBlock &Before, BasicBlock &Entry) {
  if (Start.getParent() != &Before)
    return true;
  const auto *From = isa<CastInst>(Start) ? dyn_cast<Instruction>(Start.getOperand(0)) : nullptr;
  if (!From || From->getParent() == &Before)
    return false;
  Start.moveBefore(Entry, Entry.getTerminator()->getIterator());
  return true;
}

} // namespace

void StrideLoop::beginAt(Value &Offset, Value &Known) const {
  auto *Branch = cast<BranchInst>(Entry->getTerminator());
  IRBuilder<> B(Branch);
  Value *Later = B.CreateAdd(Start, &Offset);
  Counter->replaceUsesOfWith(Start, Later);
  Value *Goes = B.CreateICmp(Predicate, Later, &Known);
  Branch->setCondition(EntryGoes ? Goes : B.CreateNot(Goes));
}

std::optional<StrideLoop> findStride(const Loop &Row, ScalarEvolution &SE) {
  if (Row.getSubLoops().size() != 1 || usesStack(*Row.getHeader()->getParent()))
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
  std::optional<Comparison> Enter = comparisonFor(*In, Before),
                            Again = comparisonFor(*Back, Header);
  if (!Enter || !Again || !match(Next, m_c_Add(m_Specific(Found.Counter), m_Value(Found.Step))))
    return std::nullopt;
  if (Again->Left != Next)
    Again = turned(*Again);
  const Comparison First = {Again->Predicate, Found.Start, Again->Right};
  auto *Start = dyn_cast<Instruction>(Found.Start);
  if (Again->Left != Next || !Start || !Row.contains(Start) ||
      !(isSame(SE, *Enter, First) || isSame(SE, turned(*Enter), First)) ||
      !moveStart(*Start, *Before, *Entry))
    return std::nullopt;
  Found.Predicate = First.Predicate;
  Found.Bound = First.Right;
  Found.EntryGoes = In->getSuccessor(0) == Before;
  Found.LatchLeaves = Back->getSuccessor(0) != Header;
  return Found;
}

} // namespace gpuinstr
