// Distances between pointers: `a + (b - a)` leads where b does. Steps back from pointers.
// SPDX-License-Identifier: Apache-2.0
//
// Followed through arithmetic and local variables up to the pointer that they are added to. What
// goes anywhere else is lost: both pointers escape then, as somebody may add it to one of them.
#include "ast/access/KernelAccess.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace gpuinstr {
using namespace access;

bool AccessWalker::isDistance(QualType T) {
  return (T->isArithmeticType() || T->isEnumeralType()) && !T->isBooleanType();
}

/// R is what one pointer leads to, wherever in that.
bool AccessWalker::isOfOnePointer(Roots R) const {
  for (unsigned I = 0; I < Members.end(Object); ++I)
    if (R == memoryOf(I)) // an object's or aggregate's root may stand for several
      return I >= Object || !F.getParamDecl(I)->getType()->isRecordType();
  return false;
}

/// What both pointers lead to, if that may be two things.
Roots AccessWalker::distance(const BinaryOperator &E) {
  const Roots To = value(E.getLHS()), From = value(E.getRHS());
  if (To == From && (!To || isOfOnePointer(To)))
    return 0;
  if (!To || !From) // from null it is an address, from shared memory as good as one
    flag(To | From, Unknown | Escape);
  return To | From;
}

void AccessWalker::lose(Roots Distance) { flag(Distance, Escape); }

/// Of Value, what leads on in an expression of type T that is no whole object: an element of one,
/// an argument, a capture.
Roots AccessWalker::withoutDistance(Roots Value, QualType T) {
  if (mayHoldPointers(T))
    return Value;
  lose(Value);
  return 0;
}

/// Variables with pointers hold none: what goes into such a one is lost.
Roots AccessWalker::distancesIn(const Location &L) const {
  Roots Value = 0;
  for (const ValueDecl *V : L.Locals)
    if (!mayHoldPointers(V->getType()))
      Value |= Held.lookup(V);
  return Value;
}

void AccessWalker::keepDistance(const Location &L, Roots Value) {
  if (!Value)
    return;
  bool IsKept = !L.Memory && !L.Temporary && !L.Captured && !L.Locals.empty();
  for (const ValueDecl *V : L.Locals) {
    if (mayHoldPointers(V->getType())) {
      IsKept = false;
      continue;
    }
    Roots &Now = Held[V];
    Changed |= (Now | Value) != Now;
    Now |= Value;
  }
  if (!IsKept)
    lose(Value);
}

/// As an argument, or the object that a method is called for: of type T, a glvalue or not.
void AccessWalker::loseIn(const Passed &P, QualType T, bool IsPlace) {
  Location L;
  L.Locals = P.Locals;
  lose(distancesIn(L));
  if (!IsPlace && !mayHoldPointers(T))
    lose(P.Memory | P.Behind);
}

bool isBackwards(const Expr &E, const ASTContext &Context) {
  const Expr *Number = E.IgnoreParenCasts();
  Expr::EvalResult Known;
  if (!Number->isValueDependent() && Number->EvaluateAsInt(Known, Context))
    return Known.Val.getInt().isSigned() && Known.Val.getInt().isNegative();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Number))
    return Unary->getOpcode() == UO_Minus || Unary->getOpcode() == UO_Not;
  const auto *Binary = dyn_cast<BinaryOperator>(Number);
  if (!Binary)
    return false;
  if (Binary->getOpcode() == BO_Mul)
    return isBackwards(*Binary->getLHS(), Context) || isBackwards(*Binary->getRHS(), Context);
  return Binary->isAdditiveOp() && isBackwards(*Binary->getLHS(), Context);
}

/// In `p + i - 1` it may as well come back towards p.
void AccessWalker::noteStepBack(const Expr &E, Roots Value) {
  if (!Value || !E.getType()->isPointerType())
    return;
  bool IsBack = false;
  if (const auto *Unary = dyn_cast<UnaryOperator>(&E)) {
    IsBack = Unary->isDecrementOp();
  } else if (const auto *Binary = dyn_cast<BinaryOperator>(&E)) {
    const Expr *Left = Binary->getLHS()->IgnoreParenCasts(), *Right = Binary->getRHS();
    const auto *Inner = dyn_cast<BinaryOperator>(Left);
    const bool IsAway = Inner && Inner->getOpcode() == BO_Add;
    const bool IsNegative = isBackwards(Left->getType()->isPointerType() ? *Right : *Left, //
                                        Whole.context());
    switch (Binary->getOpcode()) {
    case BO_Sub:
      IsBack = !IsAway && !IsNegative;
      break;
    case BO_SubAssign:
      IsBack = !IsNegative;
      break;
    case BO_Add:
    case BO_AddAssign:
      IsBack = IsNegative;
      break;
    default:
      break;
    }
  }
  if (IsBack)
    flag(Value, Before);
}

} // namespace gpuinstr
