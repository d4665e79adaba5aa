// Calls in device code: their arguments, and what they give back.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/library/LibraryClasses.h"
#include "ast/access/library/LibraryFunctions.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// It leads to a tensor map, in whose bits an address is.
bool leadsToTensorMap(const Expr *Argument) {
  QualType T = Argument->IgnoreParenImpCasts()->getType();
  T = T->isPointerType() ? T->getPointeeType() : T;
  const CXXRecordDecl *Class = T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return Class && Class->getIdentifier() && Class->getName() == "CUtensorMap_st";
}

/// It becomes an object of the callee's own.
bool makesObject(const Expr *Argument) {
  return Argument->isPRValue() && Argument->getType()->isRecordType() &&
         mayHoldPointers(Argument->getType());
}

} // namespace

Passed AccessWalker::passed(const Expr *Argument) {
  const bool Number = carriesAddress(*Argument, Whole.context());
  if (Argument->isGLValue()) {
    Passed P = passedObject(place(Argument), Argument->getType());
    P.Number |= Number;
    if (!P.Parts)
      P.Parts = fieldsOf(Argument);
    return P;
  }
  // `&object` is as good as a reference: nothing else learns the address.
  const Expr *Bare = Argument->IgnoreParenImpCasts();
  const auto *Unary = dyn_cast<UnaryOperator>(Bare);
  if (Unary && Unary->getOpcode() == UO_AddrOf && Unary->getSubExpr()->isGLValue())
    return passedObject(place(Unary->getSubExpr()), Unary->getSubExpr()->getType());
  Passed P;
  if (Argument->getType()->isPointerType()) {
    const Location L = pointee(Argument);
    P.Memory = L.Memory;
    P.Parts = fieldsAt(L, Argument->getType()->getPointeeType());
  } else {
    P.Memory = value(Argument);
    P.Parts = fieldsOf(Argument);
  }
  P.Loads = true;
  P.Number = Number;
  const QualType Given = Argument->IgnoreParenCasts()->getType();
  if (Given->isPointerType())
    leadsTo(P, Given->getPointeeType());
  else if (Given->isArrayType())
    leadsTo(P, Given);
  return P;
}

Roots AccessWalker::call(const CallExpr *E) {
  Roots Result = 0;
  if (knownCall(E, Result))
    return Result;
  const FunctionDecl *Callee = E->getDirectCallee();
  llvm::SmallVector<Passed, 8> Arguments;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  const bool HasObject = Method && Method->isImplicitObjectMemberFunction();
  llvm::ArrayRef<const Expr *> Written(E->getArgs(), E->getNumArgs());
  Passed Own;
  if (HasObject) {
    const Expr *Base = nullptr;
    if (isa<CXXOperatorCallExpr>(E)) {
      Base = Written.front();
      Written = Written.drop_front();
    } else if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
      Base = Member->getImplicitObjectArgument();
    }
    if (!Base) {
      Own.Memory = value(E->getCallee());
    } else if (Base->isGLValue()) {
      Own = passedObject(place(Base), Base->getType());
      if (!Own.Parts)
        Own.Parts = fieldsOf(Base);
    } else if (Base->getType()->isPointerType()) {
      Own = passed(Base);
    } else {
      Own.Behind = withoutDistance(value(Base), Base->getType());
      Own.Parts = fieldsOf(Base);
      leadsTo(Own, Base->getType());
    }
  } else if (!Callee) {
    const auto *Binary = dyn_cast<BinaryOperator>(E->getCallee()->IgnoreParens());
    if (Binary && Binary->isPtrMemOp()) // the object that the function belongs to
      Own = passed(Binary->getLHS());
    else
      Own.Memory = value(E->getCallee());
    Arguments.push_back(Own);
  }
  // A trivial assignment copies the object.
  if (HasObject && Method->isTrivial() && Written.size() == 1 &&
      (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator())) {
    Location L;
    L.Locals = Own.Locals;
    L.Memory = Own.Memory;
    const Expr *From = Written[0]->IgnoreParens();
    Roots Value =
        From->isGLValue() ? load(place(From), From->getType(), Flow.isOwn(From)) : value(From);
    const bool HoldsPointers = mayHoldPointers(From->getType());
    store(L, HoldsPointers ? Value : 0,
          isa<CXXOperatorCallExpr>(E) && Flow.isRegular(E->getArg(0)->IgnoreParens()));
    if (!HoldsPointers)
      keepDistance(L, Value);
    return address(L);
  }
  for (const Expr *Argument : Written) {
    Arguments.push_back(passed(Argument));
    loseIn(Arguments.back(), Argument->getType(), Argument->isGLValue());
  }
  if (Callee && Written.size() != Callee->getNumParams()) { // variadic
    if (!Whole.isSystem(Callee->getLocation()) && carryNumbers(Arguments))
      forge();
    return applyUnseen(Arguments);
  }
  if (HasObject) {
    Arguments.push_back(std::move(Own));
    loseIn(Arguments.back(), {}, true);
  }
  const bool Virtual = Method && Method->isVirtual();
  // Somebody may know the address of what becomes the callee's own.
  const bool GivesKept = Summary.MakesKept && llvm::any_of(Written, makesObject);
  const bool Seen = Callee && !Virtual && !GivesKept && !isa<CUDAKernelCallExpr>(E);
  if (!Seen && carryNumbers(Arguments))
    forge();
  const bool Assigns = Method && isNarrowAssignment(*Method, Whole) && isa<CXXOperatorCallExpr>(E);
  const bool Regular =
      Flow.isRegular(E) || (Assigns && Flow.isRegular(E->getArg(0)->IgnoreParens()));
  if (Callee && Whole.isSystem(Callee->getLocation()) && llvm::any_of(Written, leadsToTensorMap))
    forge();
  Result = Seen ? apply(*Callee, Arguments, Regular) : applyUnseen(Arguments);
  if (E->getType()->isRecordType() && mayHoldPointers(E->getType()) &&
      (!Seen || Whole.makesKept(*Callee)))
    Summary.MakesKept = true;
  const bool Leads = E->isGLValue() || mayHoldPointers(E->getType()) ||
                     (Seen && isDistance(E->getType()) && Whole.summary(*Callee));
  return Leads ? Result : 0;
}

Roots AccessWalker::construct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *Callee = E->getConstructor();
  if (Callee->isTrivial()) {
    Roots Value = 0;
    for (const Expr *Argument : E->arguments()) // at most one: the object that is copied
      Value |= Argument->isGLValue() ? load(place(Argument), E->getType()) : value(Argument);
    return Value;
  }
  llvm::SmallVector<Passed, 8> Arguments;
  Roots All = 0;
  for (const Expr *Argument : E->arguments()) {
    Arguments.push_back(passed(Argument));
    loseIn(Arguments.back(), Argument->getType(), Argument->isGLValue());
    All |= Arguments.back().Memory | Arguments.back().Behind;
  }
  if (E->getNumArgs() != Callee->getNumParams() ||
      (Summary.MakesKept && llvm::any_of(E->arguments(), makesObject)))
    return applyUnseen(Arguments);
  Passed Own;
  Own.Temporary = true;
  Arguments.push_back(std::move(Own));
  if (libraryEffect(*Callee, Whole) != LibraryEffect::None)
    return apply(*Callee, Arguments);
  if (mayHoldPointers(E->getType()) && Whole.makesKept(*Callee)) {
    flag(All, Unknown | Escape);
    Summary.MakesKept = true;
    if (isa<CXXConstructorDecl>(F)) // maybe of a part of its own
      Summary.Stored[Object] |= memoryOf(Object);
  }
  const AccessSummary *Known = hasFewRoots(*Callee) ? nullptr : Whole.summary(*Callee);
  apply(*Callee, Arguments);
  if (!Known)
    return All;
  return here({*Callee, *Known, Arguments}, Known->Stored[E->getNumArgs()]);
}

} // namespace gpuinstr
