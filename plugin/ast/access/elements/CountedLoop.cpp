// Loops of device functions that count, and whether such a one has any round.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/elements/CountedLoop.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {

bool isSameExpression(const Expr *A, const Expr *B, const ASTContext &Context) {
  llvm::FoldingSetNodeID Left, Right;
  A->IgnoreParens()->Profile(Left, Context, true);
  B->IgnoreParens()->Profile(Right, Context, true);
  return Left == Right;
}

std::optional<llvm::APSInt> constantOf(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Result;
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
      !E->EvaluateAsInt(Result, Context))
    return std::nullopt;
  return Result.Val.getInt();
}

namespace {

class RoundFinder {
public:
  RoundFinder(const CountedLoop &Loop, const ASTContext &Context) : Loop(Loop), Context(Context) {}

  bool byConstants() const {
    const std::optional<llvm::APSInt> First = constantOf(Loop.First, Context),
                                      Bound = constantOf(Loop.Bound, Context);
    const int Side = First && Bound ? llvm::APSInt::compareValues(*First, *Bound) : 0;
    switch (Loop.Until) {
    case BO_LT:
      return Side < 0;
    case BO_GT:
      return Side > 0;
    case BO_NE:
      return Side != 0;
    default:
      return false;
    }
  }

  bool bySign(const LocalValues &Values) const {
    const std::optional<llvm::APSInt> First = constantOf(Loop.First, Context);
    return First && First->isZero() && Values.isPositive(Loop.Bound) && isBelowBound(Loop.Until);
  }

  /// It follows from Condition, or from its opposite.
  bool follows(const Expr *Condition, bool Holds) const {
    Condition = Condition->IgnoreParens();
    if (const auto *Unary = dyn_cast<UnaryOperator>(Condition))
      return Unary->getOpcode() == UO_LNot && follows(Unary->getSubExpr(), !Holds);
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Condition)) // `if (n)`
      return Cast->getCastKind() == CK_IntegralToBoolean && Holds && isBound(Cast->getSubExpr()) &&
             Loop.Bound->getType()->isUnsignedIntegerType() &&
             followsFrom(BO_GT, llvm::APSInt::getUnsigned(0));
    const auto *Binary = dyn_cast<BinaryOperator>(Condition);
    if (!Binary)
      return false;
    const Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
    if (Binary->getOpcode() == (Holds ? BO_LAnd : BO_LOr))
      return follows(Left, Holds) || follows(Right, Holds);
    if (!Binary->isComparisonOp() || Binary->getOpcode() == BO_Cmp ||
        !Left->getType()->isIntegerType() || !Right->getType()->isIntegerType())
      return false;
    const BinaryOperatorKind Op =
        Holds ? Binary->getOpcode() : BinaryOperator::negateComparisonOp(Binary->getOpcode());
    return compares(Left, Op, Right) ||
           (Binary->isRelationalOp() &&
            compares(Right, BinaryOperator::reverseComparisonOp(Op), Left)) ||
           (Binary->isEqualityOp() && compares(Right, Op, Left));
  }

private:
  static bool isBelowBound(BinaryOperatorKind Until) {
    return Until == BO_LT || Until == BO_LE || Until == BO_NE;
  }

  bool isBound(const Expr *E) const {
    return Context.hasSameType(E->getType(), Loop.Bound->getType()) &&
           isSameExpression(E, Loop.Bound, Context);
  }

  bool compares(const Expr *E, BinaryOperatorKind Op, const Expr *Other) const {
    if (!isBound(E))
      return false;
    if (Context.hasSameType(Other->getType(), Loop.First->getType()) &&
        isSameExpression(Other, Loop.First, Context))
      return Op == BO_GT ? isBelowBound(Loop.Until) : Op == BO_GE && Loop.Until == BO_LE;
    const std::optional<llvm::APSInt> Number = constantOf(Other, Context);
    if (!Number)
      return false;
    const bool IsNotZero =
        Op == BO_NE && Number->isZero() && Loop.Bound->getType()->isUnsignedIntegerType();
    return followsFrom(IsNotZero ? BO_GT : Op, *Number);
  }

  /// From `Bound Op Number`.
  bool followsFrom(BinaryOperatorKind Op, const llvm::APSInt &Number) const {
    const std::optional<llvm::APSInt> First = constantOf(Loop.First, Context);
    if (!First || !isBelowBound(Loop.Until))
      return false;
    const int Side = llvm::APSInt::compareValues(*First, Number);
    return Op == BO_GT ? Side <= 0 : (Op == BO_GE || Op == BO_EQ) && Side < 0;
  }

  const CountedLoop &Loop;
  const ASTContext &Context;
};

} // namespace

bool hasRound(const CountedLoop &Loop, llvm::ArrayRef<Guard> Guards, const LocalValues &Values,
              const ASTContext &Context) {
  const RoundFinder Finder(Loop, Context);
  return Finder.byConstants() || Finder.bySign(Values) ||
         llvm::any_of(Guards, [&](const Guard &G) { return Finder.follows(G.Condition, G.Holds); });
}

} // namespace gpuinstr
