// Which local variables of a function somebody may have the address of.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// The result of what stands in S is the variable itself to S, or to what S is a part of: it is not
/// read at once, nor left alone.
bool takesPlaces(const Stmt &S) {
  if (const auto *Cast = dyn_cast<CastExpr>(&S))
    return Cast->getCastKind() != CK_LValueToRValue && Cast->getCastKind() != CK_ToVoid &&
           Cast->getCastKind() != CK_NoOp;
  if (const auto *Binary = dyn_cast<BinaryOperator>(&S); Binary && Binary->isCommaOp())
    return false;
  if (isa<ParenExpr, FullExpr, AbstractConditionalOperator>(S))
    return false;
  return isa<Expr, DeclStmt, ReturnStmt, AsmStmt>(S);
}

} // namespace

void LocalValues::findExposed(const Stmt *S) {
  if (!S)
    return;
  if (const auto *E = dyn_cast<Expr>(S)) {
    if (isUnevaluated(E))
      return;
    if (const auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->getCastKind() == CK_LValueToRValue)
      if (readsVariable(Cast->getSubExpr()))
        return;
    if (const auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->getCastKind() == CK_ToVoid)
      if (baseVariable(Cast->getSubExpr()))
        return; // `(void)n`
    if (const auto *Call = dyn_cast<CallExpr>(E); Call && Call->getDirectCallee())
      return findExposedIn(*Call);
    if (const auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isAssignmentOp())
      if (const VarDecl *V = baseVariable(Binary->getLHS())) {
        ++Written[V];
        return findExposed(Binary->getRHS());
      }
    if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
      if (const VarDecl *V = baseVariable(Unary->getSubExpr())) {
        ++Written[V];
        return;
      }
    // A copy of the whole: a constructor that is trivial keeps no reference.
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
        Construct && Construct->getConstructor()->isTrivial() && Construct->getNumArgs() == 1 &&
        baseVariable(Construct->getArg(0)->IgnoreParenImpCasts()))
      return;
    if (const auto *Name = dyn_cast<DeclRefExpr>(E)) {
      if (const auto *V = dyn_cast<VarDecl>(Name->getDecl()))
        expose(*V);
      return;
    }
    if (const auto *Lambda = dyn_cast<LambdaExpr>(E)) {
      for (const LambdaCapture &C : Lambda->captures())
        if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef)
          if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
            expose(*V);
      for (const Expr *Captured : Lambda->capture_inits()) {
        exposeResult(Captured);
        findExposed(Captured);
      }
      return;
    }
    if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
      return findExposed(Pseudo->getSyntacticForm());
    if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
      return findExposed(Default->getExpr());
  }
  if (const auto *Declarations = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declarations->decls()) {
      if (const auto *V = dyn_cast<VarDecl>(D);
          V && mayHoldPointers(V->getType()) &&
          V->getType()->getBaseElementTypeUnsafe()->isRecordType() && isKept(V->getInit()))
        expose(*V);
      if (const auto *Parts = dyn_cast<DecompositionDecl>(D))
        for (const BindingDecl *Part : Parts->bindings())
          findExposed(Part->getBinding()); // other names for its parts
    }
  for (const Stmt *Child : S->children()) {
    if (const auto *E = dyn_cast_or_null<Expr>(Child); E && takesPlaces(*S))
      exposeResult(E);
    findExposed(Child);
  }
}

/// `int &r = ++j;`, `(j = 0) = x[0];`: an assignment is the variable that it sets.
void LocalValues::exposeResult(const Expr *E) {
  if (!E || !E->isGLValue())
    return;
  E = E->IgnoreParens();
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return exposeResult(Full->getSubExpr());
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return exposeResult(Cast->getSubExpr());
  if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
    exposeResult(Choice->getTrueExpr());
    return exposeResult(Choice->getFalseExpr());
  }
  const VarDecl *V = nullptr;
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (Binary->isCommaOp())
      return exposeResult(Binary->getRHS());
    V = Binary->isAssignmentOp() ? baseVariable(Binary->getLHS()) : nullptr;
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(E);
             Unary && Unary->isIncrementDecrementOp()) {
    V = baseVariable(Unary->getSubExpr());
  }
  if (V)
    expose(*V);
}

/// The whole, a member or an element. Who writes elements has the address.
bool LocalValues::readsVariable(const Expr *E) {
  for (E = E->IgnoreParens(); E && !baseVariable(E);) {
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
      findExposed(Subscript->getIdx());
    E = withoutElement(E);
  }
  return E;
}

/// What a callee gets by reference and only reads keeps its value. What it writes nobody but the
/// callee has the address of, if it hands none on.
void LocalValues::findExposedIn(const CallExpr &Call) {
  const FunctionDecl &Callee = *Call.getDirectCallee();
  const unsigned Own =
      isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee) ? 1 : 0; // the object
  const AccessSummary *Known = nullptr;
  bool IsAsked = false;
  const Expr *Object = objectOf(Call);
  const bool IsLent = Object && isLentObject(Object, Callee);
  if (!IsLent || Own)
    findExposed(Call.getCallee());
  for (unsigned I = IsLent ? Own : 0; I < Call.getNumArgs(); ++I) {
    const Expr *Argument = Call.getArg(I)->IgnoreParenImpCasts();
    if (I < Own || !Call.getArg(I)->isGLValue() || !baseVariable(Argument) ||
        I - Own >= Callee.getNumParams()) {
      exposeResult(Call.getArg(I));
      findExposed(Call.getArg(I));
      continue;
    }
    if (!IsAsked)
      Known = hasFewRoots(Callee) ? nullptr : Whole.summary(Callee);
    IsAsked = true;
    if (!Known || !Known->keepsNoAddress(I - Own))
      findExposed(Argument);
    else if (Known->Access[2 * (I - Own)] & access::Write)
      Exposed.insert(baseVariable(Argument));
  }
}

/// A method that keeps no address of the variable. One that changes it is not followed.
bool LocalValues::isLentObject(const Expr *E, const FunctionDecl &Callee) {
  const VarDecl *V = baseVariable(E->IgnoreParenImpCasts());
  const auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  if (!V || !Method || Method->isVirtual() || hasFewRoots(Callee))
    return false;
  const AccessSummary *Known = Whole.summary(Callee);
  const unsigned Object = Callee.getNumParams();
  if (!Known || !Known->keepsNoAddress(Object))
    return false;
  if (Known->Access[2 * Object] & access::Write)
    Exposed.insert(V);
  return true;
}

/// What Init makes may hold its own address, or have left it with somebody.
bool LocalValues::isKept(const Expr *Init) {
  if (!Init)
    return false;
  if (const auto *Member = dyn_cast<CXXDefaultInitExpr>(Init))
    return mentionsThis(Member->getExpr()) || isKept(Member->getExpr());
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Init))
    if (Whole.makesKept(*Construct->getConstructor()))
      return true;
  if (const auto *Call = dyn_cast<CallExpr>(Init)) // what it gets is none of ours
    return Call->getType()->isRecordType() &&
           (!Call->getDirectCallee() || Whole.makesKept(*Call->getDirectCallee()));
  return isKept(arrayFiller(Init)) || llvm::any_of(Init->children(), [&](const Stmt *Child) {
           const auto *E = dyn_cast_or_null<Expr>(Child);
           return E && isKept(E);
         });
}

void LocalValues::expose(const VarDecl &V) {
  Exposed.insert(&V);
  Leaked.insert(&V);
}

} // namespace gpuinstr
