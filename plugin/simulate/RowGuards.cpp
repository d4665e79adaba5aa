// What a kernel's comparisons give in all threads of a row, told before the row's loop runs.
// SPDX-License-Identifier: Apache-2.0
#include "RowGuards.h"
#include "LLVMCompat.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpuinstr {
namespace {

/// CUDA's limit of threads along x, and of steps between neighbours that cannot wrap twice in 32
/// bits then.
constexpr unsigned MaxRow = 1024, MaxStep = 1 << 20, MinBits = 32;

/// A comparison of poison is as good as any other where the kernel does not come to it; where it
/// comes to it, the kernel means nothing. Each by itself: it must not hide what others say.
Value *compare(IRBuilder<> &B, CmpInst::Predicate Predicate, Value *Left, Value *Right) {
  return B.CreateFreeze(B.CreateICmp(Predicate, Left, Right));
}

/// First to last without a wrap: as the whole way is shorter than half of all values, it wraps at
/// most once, and then the last lies on the wrong side of the first.
Value *straight(IRBuilder<> &B, bool Signed, bool Grows, Value *First, Value *Last) {
  const CmpInst::Predicate P = Signed ? (Grows ? CmpInst::ICMP_SGE : CmpInst::ICMP_SLE)
                                      : (Grows ? CmpInst::ICMP_UGE : CmpInst::ICMP_ULE);
  return compare(B, P, Last, First);
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

std::optional<RowEnds> RowGuards::ends(Value *V) {
  if (!V->getType()->isIntegerTy() || isa<SCEVCouldNotCompute>(Taken))
    return std::nullopt;
  const SCEV *S = SE.getSCEV(V);
  const auto *Extended = dyn_cast<SCEVCastExpr>(S);
  const bool SignExtended = isa<SCEVSignExtendExpr>(S);
  if (Extended) {
    if (!SignExtended && !isa<SCEVZeroExtendExpr>(S))
      return std::nullopt;
    S = Extended->getOperand();
  }
  const auto *Line = dyn_cast<SCEVAddRecExpr>(S);
  if (!Line || Line->getLoop() != &Row || !Line->isAffine() ||
      SE.getTypeSizeInBits(Line->getType()) < MinBits)
    return std::nullopt;
  const auto *Step = dyn_cast<SCEVConstant>(Line->getStepRecurrence(SE));
  if (!Step || Step->getAPInt().abs().ugt(MaxStep))
    return std::nullopt;
  const SCEV *Others = SE.getTruncateOrZeroExtend(Taken, Line->getType());
  Value *Count = expand(Taken), *First = expand(Line->getStart());
  Value *Last = expand(SE.getAddExpr(Line->getStart(), SE.getMulExpr(Step, Others)));
  if (!Count || !First || !Last)
    return std::nullopt;
  IRBuilder<> B(Before);
  if (!Short)
    Short = compare(B, CmpInst::ICMP_ULT, Count, ConstantInt::get(Count->getType(), MaxRow));
  RowEnds Ends = {First, Last, Short, !Step->getAPInt().isNegative()};
  if (Extended) {
    Ends.Straight = B.CreateAnd(Short, straight(B, SignExtended, Ends.Grows, First, Last));
    const auto Extend = SignExtended ? Instruction::SExt : Instruction::ZExt;
    Ends.First = B.CreateCast(Extend, First, V->getType());
    Ends.Last = B.CreateCast(Extend, Last, V->getType());
  }
  return Ends;
}

Value *RowGuards::inAll(IRBuilder<> &B, CmpInst::Predicate Predicate, const RowEnds &Ends,
                        Value *Bound) {
  const bool Below = ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate);
  Value *Outermost = Below == Ends.Grows ? Ends.Last : Ends.First;
  Value *Monotone = straight(B, ICmpInst::isSigned(Predicate), Ends.Grows, Ends.First, Ends.Last);
  return B.CreateAnd(B.CreateAnd(Ends.Straight, Monotone), compare(B, Predicate, Outermost, Bound));
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
