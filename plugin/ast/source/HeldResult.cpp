// Whether a function returns what its object holds.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/HeldResult.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned MostCalls = 4; ///< functions that return each other's results

class HeldResult {
public:
  HeldResult(const Stmt &Body, unsigned Depth) : Depth(Depth) { findReturns(Body); }
  bool isHeld() const { return Any && All; }

private:
  /// Lambdas return on their own.
  void findReturns(const Stmt &S) {
    if (const auto *Return = dyn_cast<ReturnStmt>(&S)) {
      const Expr *Value = spelled(Return->getRetValue());
      if (Value && !isNothing(*Value)) {
        Any = true;
        All &= isHeld(*Value);
      }
    } else if (!isa<Expr>(S))
      for (const Stmt *Child : S.children())
        if (Child)
          findReturns(*Child);
  }

  static const Expr *spelled(const Expr *E) {
    for (const Expr *Before = nullptr; E != Before;) {
      Before = E;
      E = E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
      if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(E))
        E = Bound->getSubExpr();
    }
    return E;
  }

  /// nullptr, also in a handle: `return View(nullptr);`
  static bool isNothing(const Expr &E) {
    const Expr *Value = spelled(&E);
    if (const auto *Made = dyn_cast<CXXConstructExpr>(Value))
      return !Made->getNumArgs() || isNothing(*Made->getArg(0));
    return isa<CXXNullPtrLiteralExpr, GNUNullExpr, IntegerLiteral>(Value);
  }

  bool isHeldOrNothing(const Expr &E) const { return isNothing(E) || isHeld(E); }

  bool isHeld(const Expr &E) const {
    const Expr *Value = spelled(&E);
    if (const auto *Member = dyn_cast<MemberExpr>(Value))
      return isOwnObject(*Member->getBase()) || isHeld(*Member->getBase());
    if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Value))
      return isHeld(*Element->getBase());
    if (const auto *Unary = dyn_cast<UnaryOperator>(Value))
      return isHeld(*Unary->getSubExpr());
    if (const auto *Sum = dyn_cast<BinaryOperator>(Value); Sum && Sum->isAdditiveOp())
      return isHeld(*Sum->getLHS());
    if (const auto *Choice = dyn_cast<ConditionalOperator>(Value))
      return isHeldOrNothing(*Choice->getTrueExpr()) && isHeldOrNothing(*Choice->getFalseExpr());
    if (const auto *Made = dyn_cast<CXXConstructExpr>(Value)) // a handle or view of it
      return Made->getNumArgs() && isHeld(*Made->getArg(0));
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Value))
      return Operator->getNumArgs() &&
             isa_and_nonnull<CXXMethodDecl>(Operator->getDirectCallee()) &&
             isHeld(*Operator->getArg(0));
    const auto *Call = dyn_cast<CXXMemberCallExpr>(Value);
    return Call && isHeldBy(*Call);
  }

  /// `ptr.get()`, or a function whose body says so.
  bool isHeldBy(const CXXMemberCallExpr &Call) const {
    const Expr &Object = *Call.getImplicitObjectArgument();
    const CXXMethodDecl *Callee = Call.getMethodDecl();
    if (!Callee || !(isOwnObject(Object) || isHeld(Object)))
      return false;
    const IdentifierInfo *Name = Callee->getIdentifier();
    if (Name && Callee->getParent()->isInStdNamespace())
      return Name->isStr("get") || Name->isStr("data");
    const Stmt *Body = Depth < MostCalls ? Callee->getBody() : nullptr;
    return Body && HeldResult(*Body, Depth + 1).isHeld();
  }

  /// this, also as what a base class knows it to be.
  static bool isOwnObject(const Expr &E) {
    const Expr *Object = E.IgnoreParenCasts();
    if (const auto *Star = dyn_cast<UnaryOperator>(Object); Star && Star->getOpcode() == UO_Deref)
      Object = Star->getSubExpr()->IgnoreParenCasts();
    return isa<CXXThisExpr>(Object);
  }

  unsigned Depth;
  bool Any = false, All = true;
};

} // namespace

bool returnsHeld(const FunctionDecl &F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  const Stmt *Body = Method && Method->isInstance() ? Method->getBody() : nullptr;
  return Body && HeldResult(*Body, 0).isHeld();
}

} // namespace gpuinstr
