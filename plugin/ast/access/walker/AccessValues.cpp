// What prvalues of device code lead to.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"

using namespace clang;

namespace gpuinstr {
using namespace access;

namespace {

/// In `(uintptr_t)p & 3` or `% 16`: p. So few bits lead nowhere.
const Expr *alignedPointer(const BinaryOperator &E, const ASTContext &Context) {
  constexpr unsigned MostBits = 12;
  Expr::EvalResult Mask;
  if ((E.getOpcode() != BO_And && E.getOpcode() != BO_Rem) || E.getRHS()->isValueDependent() ||
      !E.getRHS()->EvaluateAsInt(Mask, Context) || Mask.Val.getInt().isNegative() ||
      Mask.Val.getInt().getActiveBits() > MostBits)
    return nullptr;
  const Expr *Number = E.getLHS()->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(Number)) {
    if (Cast->getCastKind() == CK_PointerToIntegral)
      return Cast->getSubExpr();
    if (Cast->getCastKind() != CK_IntegralCast && Cast->getCastKind() != CK_NoOp)
      return nullptr;
    Number = Cast->getSubExpr()->IgnoreParens();
  }
  return nullptr;
}

} // namespace

Roots AccessWalker::castValue(const Expr *E) {
  const auto *Cast = cast<CastExpr>(E);
  const Expr *Sub = Cast->getSubExpr();
  switch (Cast->getCastKind()) {
  case CK_LValueToRValue:
    return load(place(Sub), E->getType(), Flow.isOwn(Sub->IgnoreParens()));
  case CK_ArrayToPointerDecay:
    return address(place(Sub));
  case CK_PointerToBoolean:
  case CK_NullToPointer:
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
    value(Sub);
    return 0;
  case CK_LValueToRValueBitCast: {
    const Roots Value = load(place(Sub), Sub->getType());
    if (!mayHoldPointers(E->getType()))
      flag(Value, Unknown | Escape);
    else if (!mayHoldPointers(Sub->getType()) ||
             tradesPlaces(Sub->getType(), E->getType(), Whole.context()))
      forge();
    return Value;
  }
  case CK_IntegralToPointer:
    value(Sub);
    if (!isConstant(*Sub, Whole.context()))
      forge();
    return 0;
  case CK_BitCast: {
    const Roots Value = value(Sub);
    const QualType From = Sub->getType()->getPointeeType(), To = E->getType()->getPointeeType();
    if (!From.isNull() && !To.isNull())
      pun(From, To, Value);
    return Value;
  }
  case CK_PointerToIntegral:
    // From here on the address can go anywhere.
    expose(value(Sub), *Sub);
    return 0;
  case CK_ToVoid:
  case CK_IntegralToBoolean:
  case CK_FloatingToBoolean:
    value(Sub);
    return 0;
  default:
    return Sub->isGLValue() && !E->isGLValue() ? load(place(Sub), E->getType()) : value(Sub);
  }
}

Roots AccessWalker::operatorValue(const Expr *E) {
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    if (Unary->getOpcode() == UO_AddrOf)
      return Unary->getSubExpr()->isGLValue() ? address(place(Unary->getSubExpr())) : 0;
    if (Unary->isIncrementDecrementOp()) {
      const Expr *Sub = Unary->getSubExpr()->IgnoreParens();
      Location L = place(Sub);
      Roots Value = load(L, E->getType(), Flow.isOwn(Sub));
      store(L, Value, Flow.isRegular(Sub));
      noteStepBack(*Unary, Value);
      return Value;
    }
    return value(Unary->getSubExpr());
  }
  const auto *Binary = cast<BinaryOperator>(E);
  if (const Expr *Pointer = alignedPointer(*Binary, Whole.context())) {
    value(Pointer);
    return 0;
  }
  if (Binary->isAdditiveOp() && Binary->getType()->isPointerType())
    offset(*Binary->getLHS(), *Binary->getRHS());
  if (Binary->getOpcode() == BO_Sub && Binary->getRHS()->getType()->isPointerType())
    return distance(*Binary);
  Roots Value = value(Binary->getLHS());
  Value =
      Binary->getOpcode() == BO_Comma ? value(Binary->getRHS()) : Value | value(Binary->getRHS());
  noteStepBack(*Binary, Value);
  if (E->getType()->isBooleanType())
    return 0;
  return isDistance(E->getType()) ? Value : withoutDistance(Value, E->getType());
}

/// `(char *)0 + n` is what n says.
void AccessWalker::offset(const Expr &Left, const Expr &Right) {
  const bool IsLeft = Left.getType()->isPointerType();
  const Expr *Base = (IsLeft ? Left : Right).IgnoreParenCasts();
  const auto *Literal = dyn_cast<IntegerLiteral>(Base);
  if ((isa<CXXNullPtrLiteralExpr, GNUNullExpr>(Base) || (Literal && Literal->getValue() == 0)) &&
      carriesAddress(IsLeft ? Right : Left, Whole.context()))
    forge();
}

/// Everything else: pointers that reach it are not followed further.
Roots AccessWalker::others(const Stmt *S) {
  const Expr *Filler = arrayFiller(S);
  Roots Value = Filler ? value(Filler) : 0;
  for (const Stmt *Child : S->children()) {
    const auto *E = dyn_cast_or_null<Expr>(Child);
    if (!E) {
      statement(Child);
      continue;
    }
    Value |= E->isGLValue() ? address(place(E)) : value(E);
  }
  return Value;
}

/// In an aggregate's list `this` is not ours, but the aggregate.
const Expr *AccessWalker::initialiser(const CXXDefaultInitExpr &E) {
  const auto *Constructor = dyn_cast<CXXConstructorDecl>(&F);
  const bool IsOurs =
      Constructor && Constructor->getParent()->getCanonicalDecl() ==
                         cast<CXXRecordDecl>(E.getField()->getParent())->getCanonicalDecl();
  GaveUp |= !IsOurs && mentionsThis(E.getExpr());
  return E.getExpr();
}

Roots AccessWalker::value(const Expr *E) {
  if (GaveUp)
    return 0;
  if (!Whole.step() || E->isTypeDependent()) {
    GaveUp = true;
    return 0;
  }
  E = E->IgnoreParens();
  if (E->isGLValue()) {
    place(E);
    return 0;
  }
  if (isa<CastExpr>(E))
    return castValue(E);
  if (isa<UnaryOperator, BinaryOperator>(E) && !isa<CompoundAssignOperator>(E))
    return operatorValue(E);
  if (isa<CXXInheritedCtorInitExpr>(E)) {
    GaveUp = true; // its arguments are implicit
    return 0;
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
    return construct(Construct);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (const auto *Lambda = dyn_cast<LambdaExpr>(E))
    return capture(Lambda);
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return value(Full->getSubExpr());
  if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(E)) {
    const Roots Value = value(Bound->getSubExpr());
    destroyed(Bound->getType(), Value);
    return Value;
  }
  if (const auto *Argument = dyn_cast<CXXDefaultArgExpr>(E))
    return value(Argument->getExpr());
  if (const auto *Member = dyn_cast<CXXDefaultInitExpr>(E))
    return value(initialiser(*Member));
  if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return value(Substituted->getReplacement());
  if (const auto *Indexed = dyn_cast<PackIndexingExpr>(E))
    return value(Indexed->getSelectedExpr());
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Opaque->getSourceExpr() ? value(Opaque->getSourceExpr()) : 0;
  if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
    value(Choice->getCond());
    return value(Choice->getTrueExpr()) | value(Choice->getFalseExpr());
  }
  if (isa<CXXThisExpr>(E)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(&F);
    GaveUp |= !Method; // of an aggregate whose members have initialisers
    // In a lambda it is the captured one, which the closure holds.
    return Method && Method->getParent()->isLambda() ? behind(Object) : memoryOf(Object);
  }
  if (const auto *Member = dyn_cast<MemberExpr>(E)) // of a prvalue
    return load(place(Member), E->getType());
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr, ExpressionTraitExpr,
          ArrayTypeTraitExpr, ConceptSpecializationExpr, RequiresExpr>(E))
    return 0; // not evaluated
  if (const auto *Name = dyn_cast<DeclRefExpr>(E); Name && isa<EnumConstantDecl>(Name->getDecl()))
    return 0;
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr,
          CXXNullPtrLiteralExpr, GNUNullExpr, CXXScalarValueInitExpr, ImplicitValueInitExpr,
          SizeOfPackExpr>(E) ||
      isThreadIndex(E))
    return 0;
  if (const auto *List = dyn_cast<InitListExpr>(E)) {
    Roots Value = List->hasArrayFiller() ? value(List->getArrayFiller()) : 0;
    for (const Expr *Init : List->inits()) {
      const Roots One = Init->isGLValue() ? address(place(Init)) : value(Init);
      const bool IsWhole = Init->isGLValue() || List->getType()->isScalarType();
      Value |= IsWhole ? One : withoutDistance(One, Init->getType());
    }
    return Value;
  }
  if (const auto *Block = dyn_cast<StmtExpr>(E)) {
    flagUnseen(others(Block->getSubStmt()));
    return 0;
  }
  if (const auto *Atomic = dyn_cast<AtomicExpr>(E)) {
    flag(value(Atomic->getPtr()), Read | Write);
    flag(others(Atomic), Escape);
    return 0;
  }
  flagUnseen(others(E));
  return 0;
}

} // namespace gpuinstr
