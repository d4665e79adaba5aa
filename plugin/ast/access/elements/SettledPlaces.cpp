// Places that memory does not decide on.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/elements/SettledPlaces.h"

#include "ast/access/KernelAccess.h"
#include "ast/access/ends/OuterValues.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned MostInside = 4; ///< callees that return what another one returns

/// Of a body that ends there and nowhere else.
const Expr *onlyResult(const FunctionDecl &F) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody());
  if (!Body || Body->body_empty())
    return nullptr;
  auto IsPlain = [](const Stmt *S) { return isa<DeclStmt, NullStmt, Expr>(S); };
  const auto *Return = dyn_cast<ReturnStmt>(Body->body_back());
  return Return && llvm::all_of(llvm::drop_end(Body->body()), IsPlain) ? Return->getRetValue()
                                                                       : nullptr;
}

bool returnsSettledPlace(const CallExpr &Call, KernelAccess &Whole, const LocalValues &Values,
                         const Variables &Outer, unsigned Depth) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee || Depth >= MostInside || !Callee->getReturnType()->isLValueReferenceType() ||
      !isSettledCall(Call, Values, Outer))
    return false;
  const FunctionDecl *F = Whole.visible(*Callee);
  const Expr *Result = F ? onlyResult(*F) : nullptr;
  if (!Result)
    return false;
  LocalValues Inside(Whole, *F);
  Inside.keepObject();
  Variables OuterInside;
  return findOuterValues(Whole, Inside, *F->getBody(), OuterInside) &&
         isSettledPlace(Result, Whole, Inside, OuterInside, Depth + 1);
}

} // namespace

bool isPlace(const Expr *Place, llvm::function_ref<bool(const Expr *)> Accepts) {
  Place = Place->IgnoreParens();
  if (Place->getType().isVolatileQualified() || Place->isTypeDependent())
    return false;
  if (const auto *Member = dyn_cast<MemberExpr>(Place)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    const Expr *Base = Member->getBase();
    return Field && !Field->getType()->isReferenceType() &&
           (Member->isArrow() ? Accepts(Base) : isPlace(Base, Accepts));
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Place))
    return Unary->getOpcode() == UO_Deref && Accepts(Unary->getSubExpr());
  if (isa<CallExpr>(Place))
    return Accepts(Place);
  const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Place);
  if (!Subscript || !Accepts(Subscript->getIdx()))
    return false;
  const Expr *Base = Subscript->getBase()->IgnoreParens();
  const auto *Decay = dyn_cast<ImplicitCastExpr>(Base);
  if (Decay && Decay->getCastKind() == CK_ArrayToPointerDecay)
    return isPlace(Decay->getSubExpr(), Accepts);
  return Accepts(Base);
}

bool isSettledPlace(const Expr *Place, KernelAccess &Whole, const LocalValues &Values,
                    const Variables &Outer, unsigned Depth) {
  return isPlace(Place, [&](const Expr *E) {
    const auto *Call = E->isGLValue() ? dyn_cast<CallExpr>(E) : nullptr;
    return Call ? returnsSettledPlace(*Call, Whole, Values, Outer, Depth)
                : !Values.comesFromOutside(E, Outer);
  });
}

bool isSettledCall(const CallExpr &Call, const LocalValues &Values, const Variables &Outer) {
  return Values.objectStays(Call, Outer) && Values.argumentsStay(Call, Outer);
}

} // namespace gpuinstr
