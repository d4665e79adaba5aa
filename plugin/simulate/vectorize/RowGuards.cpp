// Evaluates a kernel's conditions for a whole row of threads, before the loop over the row.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/vectorize/RowGuards.h"
#include "compat/LLVMCompat.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpuinstr {
namespace {

/// CUDA's limit of threads along x, and of steps between neighbours that cannot wrap twice in 32
/// bits then.
constexpr unsigned MaxRow = 1024, MaxStep = 1 << 20, MinBits = 32;

/// Freezes a comparison that may be of poison: either result is right where the kernel does not
/// evaluate it, and where it does the kernel is undefined. Each on its own: poison must not spread.
Value *compare(IRBuilder<> &B, CmpInst::Predicate Predicate, Value *Left, Value *Right) {
  return B.CreateFreeze(B.CreateICmp(Predicate, Left, Right));
}

} // namespace

RowGuards::RowGuards(Loop &Row, ScalarEvolution &SE)
    : Row(Row), SE(SE), Before(Row.getLoopPreheader()->getTerminator()),
      Expander(compat::expanderFor(SE, Row.getHeader()->getModule()->getDataLayout(), "row")),
      Taken(SE.getBackedgeTakenCount(&Row)) {}

Value *RowGuards::expand(const SCEV *S) {
  return Expander.isSafeToExpandAt(S, Before) ? Expander.expandCodeFor(S, S->getType(), Before)
                                              : nullptr;
}

Value *RowGuards::shared(Value *V) {
  if (!V->getType()->isIntegerTy())
    return nullptr;
  const SCEV *S = SE.getSCEV(V);
  return SE.isLoopInvariant(S, &Row) ? expand(S) : nullptr;
}

/// The row spans less than half of all values, so it wraps at most once, and then the last value is
/// on the wrong side of the first.
Value *RowGuards::straight(IRBuilder<> &B, bool Signed, const RowEnds &Ends) {
  const CmpInst::Predicate Up = Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
  return compare(B, Ends.Step >= 0 ? Up : CmpInst::getSwappedPredicate(Up), Ends.Last, Ends.First);
}

std::optional<RowEnds> RowGuards::endsOfLine(const SCEVAddRecExpr &Line) {
  const auto *Step = dyn_cast<SCEVConstant>(Line.getStepRecurrence(SE));
  if (Line.getLoop() != &Row || !Step || Step->getAPInt().abs().ugt(MaxStep) ||
      SE.getTypeSizeInBits(Line.getType()) < MinBits)
    return std::nullopt;
  const SCEV *Others = SE.getTruncateOrZeroExtend(Taken, Line.getType());
  Value *Count = expand(Taken), *First = expand(Line.getStart());
  Value *Last = expand(SE.getAddExpr(Line.getStart(), SE.getMulExpr(Step, Others)));
  if (!Count || !First || !Last)
    return std::nullopt;
  IRBuilder<> B(Before);
  if (!Short)
    Short = compare(B, CmpInst::ICMP_ULT, Count, ConstantInt::get(Count->getType(), MaxRow));
  return RowEnds{First, Last, Short, Step->getAPInt().getSExtValue()};
}

std::optional<RowEnds> RowGuards::endsOf(const SCEV *S) {
  IRBuilder<> B(Before);
  if (const auto *Line = dyn_cast<SCEVAddRecExpr>(S))
    return endsOfLine(*Line);
  if (isa<SCEVSignExtendExpr>(S) || isa<SCEVZeroExtendExpr>(S)) {
    const bool Signed = isa<SCEVSignExtendExpr>(S);
    std::optional<RowEnds> Ends = endsOf(cast<SCEVCastExpr>(S)->getOperand());
    if (!Ends)
      return Ends;
    const auto Extend = Signed ? Instruction::SExt : Instruction::ZExt;
    Ends->Straight = B.CreateAnd(Ends->Straight, straight(B, Signed, *Ends));
    Ends->First = B.CreateCast(Extend, Ends->First, S->getType());
    Ends->Last = B.CreateCast(Extend, Ends->Last, S->getType());
    return Ends;
  }
  const auto *Sum = dyn_cast<SCEVAddExpr>(S);
  if (!Sum)
    return std::nullopt;
  std::optional<RowEnds> Ends;
  Value *Rest = nullptr;
  for (const SCEV *Part : Sum->operands())
    if (!SE.isLoopInvariant(Part, &Row)) {
      if (Ends || !(Ends = endsOf(Part)))
        return std::nullopt;
    } else if (Value *Same = expand(Part)) {
      Rest = Rest ? B.CreateAdd(Rest, Same) : Same;
    } else {
      return std::nullopt;
    }
  if (Ends && Rest) {
    Ends->First = B.CreateAdd(Ends->First, Rest);
    Ends->Last = B.CreateAdd(Ends->Last, Rest);
  }
  return Ends;
}

std::optional<RowEnds> RowGuards::ends(Value *V) {
  if (!V->getType()->isIntegerTy() || isa<SCEVCouldNotCompute>(Taken))
    return std::nullopt;
  return endsOf(SE.getSCEV(V));
}

Value *RowGuards::inAll(IRBuilder<> &B, CmpInst::Predicate Predicate, const RowEnds &Ends,
                        Value *Bound) {
  const bool Below = ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate);
  Value *Outermost = Below == (Ends.Step >= 0) ? Ends.Last : Ends.First;
  Value *Between = B.CreateAnd(Ends.Straight, straight(B, ICmpInst::isSigned(Predicate), Ends));
  return B.CreateAnd(Between, compare(B, Predicate, Outermost, Bound));
}

Value *RowGuards::holdsCompare(ICmpInst &Compare, bool Wanted) {
  CmpInst::Predicate P = Wanted ? Compare.getPredicate() : Compare.getInversePredicate();
  Value *Left = Compare.getOperand(0), *Right = Compare.getOperand(1);
  Value *Bound = shared(Right);
  IRBuilder<> B(Before);
  if (Value *Same = shared(Left)) {
    if (Bound)
      return compare(B, P, Same, Bound);
    Bound = Same;
    std::swap(Left, Right);
    P = CmpInst::getSwappedPredicate(P);
  }
  if (!Bound || !ICmpInst::isRelational(P))
    return nullptr;
  const std::optional<RowEnds> Ends = ends(Left);
  return Ends ? inAll(B, P, *Ends, Bound) : nullptr;
}

Value *RowGuards::holdsBoth(Value *A, Value *B, bool Wanted) {
  Value *First = holds(A, Wanted);
  Value *Second = First ? holds(B, Wanted) : nullptr;
  return Second ? IRBuilder<>(Before).CreateAnd(First, Second) : nullptr;
}

Value *RowGuards::holds(Value *Condition, bool Wanted) {
  Value *A = nullptr, *B = nullptr;
  if (Row.isLoopInvariant(Condition)) {
    IRBuilder<> At(Before);
    return At.CreateFreeze(Wanted ? Condition : At.CreateNot(Condition));
  }
  if (match(Condition, m_Not(m_Value(A))))
    return holds(A, !Wanted);
  if (match(Condition, m_LogicalAnd(m_Value(A), m_Value(B))) && Wanted)
    return holdsBoth(A, B, true);
  if (match(Condition, m_LogicalOr(m_Value(A), m_Value(B))) && !Wanted)
    return holdsBoth(A, B, false);
  if (auto *Compare = dyn_cast<ICmpInst>(Condition))
    return holdsCompare(*Compare, Wanted);
  return nullptr;
}

} // namespace gpuinstr
