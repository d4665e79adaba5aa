// Closures in device code: what they hold, and those whose bodies count as a part of the function.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// What a closure's call may be: of a generic one, its instances.
llvm::SmallVector<const FunctionDecl *, 2> callsOf(const LambdaExpr &E) {
  if (!E.isGenericLambda())
    return {E.getCallOperator()};
  llvm::SmallVector<const FunctionDecl *, 2> Calls;
  if (const FunctionTemplateDecl *Template = E.getCallOperator()->getDescribedFunctionTemplate())
    llvm::append_range(Calls, Template->specializations());
  return Calls;
}

} // namespace

/// What the calls of a closure do, wherever they stand, is what its body does here: it captures
/// variables of this function by reference, gets nothing that leads to memory and returns nothing
/// that does.
bool AccessWalker::isPartOfThis(const LambdaExpr &E) const {
  auto IsPlain = [](QualType T) {
    return !T->isReferenceType() && !T.isDestructedType() && !mayHoldPointers(T);
  };
  auto IsOurs = [&](const LambdaCapture &C) {
    const auto *V = C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
    return V && !V->isInitCapture() && !C.isPackExpansion() && isOwn(*V) &&
           (C.getCaptureKind() == LCK_ByRef || !V->getType().isDestructedType());
  };
  auto IsPlainCall = [&](const FunctionDecl *Call) {
    return bodyOf(*Call, E) && IsPlain(Call->getReturnType()) &&
           llvm::all_of(Call->parameters(), [&](auto *P) { return IsPlain(P->getType()); });
  };
  const llvm::SmallVector<const FunctionDecl *, 2> Calls = callsOf(E);
  return !Calls.empty() && llvm::all_of(Calls, IsPlainCall) && llvm::all_of(E.captures(), IsOurs) &&
         llvm::any_of(E.captures(), [](auto &C) { return C.getCaptureKind() == LCK_ByRef; });
}

/// Of a closure's call operator. An instance has none yet under nvcc.
const Stmt *AccessWalker::bodyOf(const FunctionDecl &Call, const LambdaExpr &E) const {
  const FunctionDecl *Visible = E.isGenericLambda() ? Whole.visible(Call) : &Call;
  return Visible ? Visible->getBody() : nullptr;
}

bool AccessWalker::hasNewInstances() const {
  return llvm::any_of(
      Generic, [](const auto &Known) { return callsOf(*Known.first).size() != Known.second; });
}

/// Of this function, or of a closure whose body counts as a part of it.
bool AccessWalker::isOwn(const VarDecl &V) const {
  return V.getDeclContext() == &F || Closures.contains(V.getDeclContext());
}

/// A closure holds what it captures by copy. What it captures by reference lives elsewhere.
Roots AccessWalker::capture(const LambdaExpr *E) {
  Roots Value = 0;
  const bool IsPart = isPartOfThis(*E);
  if (IsPart) {
    for (const FunctionDecl *Call : callsOf(*E)) {
      Closures.insert(Call);
      statement(bodyOf(*Call, *E));
    }
  } else if (E->isGenericLambda()) {
    Generic.insert({E, callsOf(*E).size()});
  }
  auto Init = E->capture_init_begin();
  for (const LambdaCapture &C : E->captures()) {
    const Expr *Captured = *Init++;
    if (!Captured)
      continue;
    if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef) {
      Value |= IsPart ? 0 : address(place(Captured));
      continue;
    }
    const QualType T = Captured->getType();
    const Roots Copy = Captured->isGLValue() ? load(place(Captured), T) : value(Captured);
    Value |= IsPart ? 0 : withoutDistance(Copy, T); // of a part, the variable is meant
  }
  return IsPart ? 0 : Value;
}

} // namespace gpuinstr
