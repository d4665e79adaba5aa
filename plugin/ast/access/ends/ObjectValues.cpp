// What a method finds in its own object, and a closure in what it has copied.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {
namespace {

bool isConstantNumber(QualType T) {
  const QualType To = T->isLValueReferenceType() ? T->getPointeeType() : QualType();
  return !To.isNull() && To->isArithmeticType() && To.isConstQualified() &&
         !To.isVolatileQualified();
}

/// A number by constant reference, which keeps its value, and of which nobody keeps the address.
bool isOnlyRead(const FunctionDecl &Callee, unsigned I, KernelAccess &Whole) {
  if (I >= Callee.getNumParams() || I >= MaxRootedParameters || hasFewRoots(Callee) ||
      !isConstantNumber(Callee.getParamDecl(I)->getType()))
    return false;
  const AccessSummary *Known = Whole.summary(Callee);
  return Known && Known->keepsNoAddress(I) && !(Known->Access[2 * I] & access::Write);
}

} // namespace

const Expr *objectOf(const CallExpr &Call) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call.getDirectCallee());
  if (!Method || !Method->isImplicitObjectMemberFunction())
    return nullptr;
  if (isa<CXXOperatorCallExpr>(Call))
    return Call.getNumArgs() ? Call.getArg(0) : nullptr;
  const auto *Member = dyn_cast<CXXMemberCallExpr>(&Call);
  return Member ? Member->getImplicitObjectArgument() : nullptr;
}

llvm::ArrayRef<const Expr *> argumentsOf(const CallExpr &Call) {
  llvm::ArrayRef<const Expr *> All(Call.getArgs(), Call.getNumArgs());
  return isa<CXXOperatorCallExpr>(Call) && objectOf(Call) ? All.drop_front() : All;
}

/// `this->member`. In a closure's body `this` is that of the function around it.
bool LocalValues::isOfObject(const Expr *E) const {
  const auto *Method = ObjectStays ? dyn_cast<CXXMethodDecl>(&F) : nullptr;
  if (!Method || E->getType().isVolatileQualified())
    return false;
  if (isa<DeclRefExpr>(E))
    return isCopied(E);
  const auto *Member = dyn_cast<MemberExpr>(E);
  const auto *Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  if (!Field || Field->isMutable() || Field->getType()->isReferenceType())
    return false;
  const Expr *Base = Member->getBase()->IgnoreParenImpCasts();
  return isOwnObject(Base) || (!Member->isArrow() && isOfObject(Base));
}

/// `*this` or, of a pointer, `this`.
bool LocalValues::isOwnObject(const Expr *E) const {
  const auto *Method = ObjectStays ? dyn_cast<CXXMethodDecl>(&F) : nullptr;
  const auto *Unary = dyn_cast<UnaryOperator>(E);
  if (Unary && Unary->getOpcode() == UO_Deref)
    E = Unary->getSubExpr()->IgnoreParenImpCasts();
  return Method && isa<CXXThisExpr>(E) && !Method->getParent()->isLambda();
}

/// Into the closure that the function is the body of, which may not change it.
bool LocalValues::isCopied(const Expr *E) const {
  const auto *Name = cast<DeclRefExpr>(E);
  const auto &Method = cast<CXXMethodDecl>(F);
  return Name->refersToEnclosingVariableOrCapture() && Method.getParent()->isLambda() &&
         Method.isConst() &&
         llvm::any_of(Method.getParent()->captures(), [&](const LambdaCapture &C) {
           return C.capturesVariable() && C.getCapturedVar() == Name->getDecl() &&
                  C.getCaptureKind() == LCK_ByCopy && !C.isPackExpansion();
         });
}

bool LocalValues::closureComesFromOutside(const LambdaExpr &E, const Variables &Outer) const {
  return llvm::any_of(E.captures(),
                      [](const LambdaCapture &C) { return C.getCaptureKind() != LCK_ByCopy; }) ||
         llvm::any_of(E.capture_inits(),
                      [&](const Expr *Init) { return comesFromOutside(Init, Outer); });
}

bool LocalValues::objectStays(const CallExpr &Call, const Variables &Outer) const {
  const FunctionDecl *Callee = Call.getDirectCallee();
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Method || Method->isStatic())
    return Callee;
  const Expr *Object = objectOf(Call);
  if (!Object || Method->isVirtual() || hasFewRoots(*Method))
    return false;
  Object = Object->IgnoreParenImpCasts();
  const VarDecl *V = local(Object);
  if (!isOwnObject(Object) && !isOfObject(Object) && (!V || Outer.contains(V)))
    return false;
  const AccessSummary *Known = Whole.summary(*Method);
  constexpr uint8_t Changes = access::Write | access::Unknown | access::Escape;
  return Known && !(Known->Access[2 * Method->getNumParams()] & Changes);
}

/// A parameter `const int &i`, of which the caller knows what it refers to.
bool LocalValues::isLentNumber(const Expr *E) const {
  const auto *Name = dyn_cast<DeclRefExpr>(E);
  const auto *P = Name ? dyn_cast<ParmVarDecl>(Name->getDecl()) : nullptr;
  return ObjectStays && P && P->getDeclContext() == &F && isConstantNumber(P->getType());
}

bool LocalValues::argumentsStay(const CallExpr &Call, const Variables &Outer) const {
  const FunctionDecl &Callee = *Call.getDirectCallee();
  const llvm::ArrayRef<const Expr *> All = argumentsOf(Call);
  for (unsigned I = 0; I < All.size(); ++I) {
    const Expr *Argument = All[I]->IgnoreParens();
    if (Argument->isGLValue() && !isOnlyRead(Callee, I, Whole))
      return false;
    if (const auto *Full = dyn_cast<FullExpr>(Argument))
      Argument = Full->getSubExpr()->IgnoreParens();
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Argument))
      Argument = Temporary->getSubExpr();
    if (comesFromOutside(Argument, Outer))
      return false;
  }
  return true;
}

/// `return blockIdx.x * blockDim.x + threadIdx.x;` and its like, and nothing else.
bool LocalValues::computes(const CallExpr &Call, const Variables &Outer) const {
  constexpr unsigned MaxDepth = 4;
  const FunctionDecl &Callee = *Call.getDirectCallee();
  const bool IsOfObject = isa<CXXMethodDecl>(Callee);
  if (Depth >= MaxDepth || (IsOfObject && (!ObjectStays || !objectStays(Call, Outer))))
    return false;
  const FunctionDecl *F = Whole.visible(Callee);
  const auto *Body = F ? dyn_cast<CompoundStmt>(F->getBody()) : nullptr;
  const auto *Return =
      Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  if (!Return || !Return->getRetValue() || F->getReturnType()->isReferenceType())
    return false;
  LocalValues Inside(Whole, *F, Depth + 1);
  Inside.keepObject();
  return !Inside.comesFromOutside(Return->getRetValue(), {});
}

} // namespace gpuinstr
