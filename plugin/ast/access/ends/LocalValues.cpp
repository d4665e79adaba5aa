// What is known of a function's local variables: whether a value comes from memory or from another
// thread.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/ends/LocalValues.h"

#include "ast/access/BlockCollectives.h"
#include "ast/access/KernelAccess.h"
#include "ast/access/KnownFunctions.h"
#include "ast/access/library/LibraryFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// threadIdx and its like, as clang's headers and as cudafe++ call them.
bool namesThreadIndex(const Expr *E) {
  const auto *Name = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  if (!V || V->hasLocalStorage() || !V->getIdentifier() ||
      !V->getDeclContext()->getRedeclContext()->isTranslationUnit())
    return false;
  llvm::StringRef Text = V->getName();
  Text.consume_front("__device_builtin_variable_");
  return (Text == "threadIdx" || Text == "blockIdx" || Text == "blockDim" || Text == "gridDim" ||
          Text == "warpSize") &&
         V->hasExternalFormalLinkage() && V->hasDefinition() == VarDecl::DeclarationOnly &&
         V->getType().isConstQualified();
}

bool isDimension(const Expr *E) {
  const auto *Name = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  if (!Name || !namesThreadIndex(E))
    return false;
  llvm::StringRef Text = cast<VarDecl>(Name->getDecl())->getName();
  return Text.ends_with("blockDim") || Text.ends_with("gridDim") || Text.ends_with("warpSize");
}

/// `threadIdx.x` is a property in clang's headers.
const Expr *propertyBase(const Expr *E) {
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
    E = Pseudo->getSyntacticForm()->IgnoreParens();
  const auto *Property = dyn_cast<MSPropertyRefExpr>(E);
  if (!Property)
    return nullptr;
  const auto *Opaque = dyn_cast<OpaqueValueExpr>(Property->getBaseExpr());
  return Opaque ? Opaque->getSourceExpr() : Property->getBaseExpr();
}

/// Not even the host changes it while a kernel runs that could see that.
bool isOfConstantMemory(const VarDecl *V) {
  return V && V->hasAttr<CUDAConstantAttr>() && !V->getType()->isReferenceType();
}

} // namespace

/// Of the variable of which E is the whole or a member by value.
static const DeclRefExpr *baseName(const Expr *E) {
  E = E->IgnoreParens();
  while (const auto *Member = dyn_cast<MemberExpr>(E)) {
    if (Member->isArrow() || !isa<FieldDecl>(Member->getMemberDecl()) ||
        Member->getMemberDecl()->getType()->isReferenceType())
      return nullptr;
    E = Member->getBase()->IgnoreParens();
  }
  return dyn_cast<DeclRefExpr>(E);
}

const VarDecl *baseVariable(const Expr *E) {
  const DeclRefExpr *Name = baseName(E);
  return Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
}

/// Of an element, the array or the object that it is a part of; null if a pointer leads there.
const Expr *withoutElement(const Expr *E) {
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return Member->isArrow() || !isa<FieldDecl>(Member->getMemberDecl()) ||
                   Member->getMemberDecl()->getType()->isReferenceType()
               ? nullptr
               : Member->getBase()->IgnoreParens();
  const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
  const auto *Decay =
      Subscript ? dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens()) : nullptr;
  return Decay && Decay->getCastKind() == CK_ArrayToPointerDecay
             ? Decay->getSubExpr()->IgnoreParens()
             : nullptr;
}

bool mentionsThis(const Stmt *S) {
  return S && (isa<CXXThisExpr>(S) || llvm::any_of(S->children(), mentionsThis));
}

const Expr *arrayFiller(const Stmt *S) {
  if (const auto *List = dyn_cast<InitListExpr>(S))
    return List->getArrayFiller();
  const auto *List = dyn_cast<CXXParenListInitExpr>(S);
  return List ? List->getArrayFiller() : nullptr;
}

bool isUnevaluated(const Expr *E) {
  return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr>(E);
}

bool isThreadIndex(const Expr *E) {
  E = E->IgnoreParens();
  if (const Expr *Base = propertyBase(E))
    return namesThreadIndex(Base);
  const auto *Member = dyn_cast<MemberExpr>(E);
  return namesThreadIndex(Member && !Member->isArrow() ? Member->getBase() : E);
}

LocalValues::LocalValues(KernelAccess &Whole, const FunctionDecl &F, unsigned Depth)
    : Whole(Whole), F(F), Depth(Depth) {
  findExposed(F.getBody());
}

/// A parameter that is taken for a variable of the caller's own, that nothing else leads to.
bool LocalValues::isFollowedReference(const VarDecl &V) const {
  const auto *P = dyn_cast<ParmVarDecl>(&V);
  if (!FollowsReferences || !P || P->getDeclContext() != &F || Exposed.contains(P) ||
      P->getFunctionScopeIndex() >= 32 || !P->getType()->isLValueReferenceType() ||
      !P->getType()->getPointeeType()->isArithmeticType() ||
      P->getType()->getPointeeType().isVolatileQualified())
    return false;
  Followed |= uint32_t(1) << P->getFunctionScopeIndex();
  return true;
}

bool LocalValues::isUnshared(const VarDecl &V) const {
  return V.isLocalVarDeclOrParm() && V.hasLocalStorage() && !isSharedOfCudafe(V) &&
         V.getDeclContext() == &F && !Leaked.contains(&V) && !V.getType().isVolatileQualified();
}

const VarDecl *LocalValues::local(const Expr *E) const {
  const VarDecl *V = baseVariable(E);
  if (V && isFollowedReference(*V) && isa<DeclRefExpr>(E->IgnoreParens()))
    return V;
  if (!V || !V->isLocalVarDeclOrParm() || !V->hasLocalStorage() || isSharedOfCudafe(*V) ||
      Exposed.contains(V) || V->getType()->isReferenceType() ||
      V->getType().isVolatileQualified() || E->getType().isVolatileQualified())
    return nullptr;
  return baseName(E)->refersToEnclosingVariableOrCapture() ? nullptr : V;
}

bool LocalValues::assignment(const Stmt *S, llvm::SmallVectorImpl<Assignment> &Out) {
  Assignment A;
  A.At = S;
  if (const auto *Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isAssignmentOp()) {
    A.Variable = baseVariable(Binary->getLHS());
    A.Value = Binary->getRHS();
    A.Keeps = Binary->isCompoundAssignmentOp();
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(S);
             Unary && Unary->isIncrementDecrementOp()) {
    A.Variable = baseVariable(Unary->getSubExpr());
    A.Keeps = true;
  } else if (const auto *Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declarations->decls())
      if (const auto *V = dyn_cast<VarDecl>(D)) {
        A.Variable = V;
        A.Value = V->getInit();
        if (A.Value)
          Out.push_back(A);
      }
    return true;
  }
  if (A.Variable)
    Out.push_back(A);
  return A.Variable != nullptr;
}

bool LocalValues::comesFromOutside(const Assignment &A, const Variables &Outer) const {
  return (A.Value && comesFromOutside(A.Value, Outer)) || (A.Keeps && Outer.contains(A.Variable));
}

bool LocalValues::callIsPure(const Expr *E, const Variables &Outer) const {
  const auto *Call = cast<CallExpr>(E);
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (Callee && isGroupShape(*Callee, Whole))
    return true;
  if (Callee && computesNumber(*Callee, Whole))
    return ofNumbersIsPure(*Call, Outer);
  return Callee && (isPureFunction(systemFunctionName(*Callee, Whole)) || computes(*Call, Outer)) &&
         argumentsStay(*Call, Outer);
}

/// Of one of the libraries' functions of numbers, which keeps no address of what it gets.
bool LocalValues::ofNumbersIsPure(const CallExpr &Call, const Variables &Outer) const {
  return llvm::none_of(Call.arguments(), [&](const Expr *Argument) {
    Argument = Argument->IgnoreParenImpCasts();
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Argument))
      Argument = Temporary->getSubExpr();
    return comesFromOutside(Argument, Outer);
  });
}

bool LocalValues::comesFromOutside(const Expr *E, const Variables &Outer) const {
  if (!E || E->isValueDependent())
    return true;
  E = E->IgnoreParens();
  if (isUnevaluated(E))
    return false;
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr,
          CXXNullPtrLiteralExpr, GNUNullExpr, CXXScalarValueInitExpr, ImplicitValueInitExpr>(E))
    return false;
  if (isThreadIndex(E))
    return false;
  if (const VarDecl *V = local(E))
    return Outer.contains(V);
  if (isOfObject(E) || isLentNumber(E))
    return false;
  if (isa<ArraySubscriptExpr, MemberExpr>(E) && !isThreadIndex(E))
    return elementComesFromOutside(E, Outer);
  if (const auto *Name = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Name->getDecl());
    return V ? !V->isUsableInConstantExpressions(V->getASTContext()) &&
                   (!ConstantsStay || !isOfConstantMemory(V) || V->getType().isVolatileQualified())
             : !isa<EnumConstantDecl>(Name->getDecl());
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return Cast->getCastKind() == CK_UserDefinedConversion ||
           Cast->getSubExpr()->getType().isVolatileQualified() ||
           comesFromOutside(Cast->getSubExpr(), Outer);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return Unary->getOpcode() == UO_Deref || Unary->getOpcode() == UO_AddrOf ||
           comesFromOutside(Unary->getSubExpr(), Outer);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return Binary->isPtrMemOp() || comesFromOutside(Binary->getLHS(), Outer) ||
           comesFromOutside(Binary->getRHS(), Outer);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return comesFromOutside(Choice->getCond(), Outer) ||
           comesFromOutside(Choice->getTrueExpr(), Outer) ||
           comesFromOutside(Choice->getFalseExpr(), Outer);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return !callIsPure(Call, Outer);
  if (const auto *Lambda = dyn_cast<LambdaExpr>(E))
    return closureComesFromOutside(*Lambda, Outer);
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return comesFromOutside(Full->getSubExpr(), Outer);
  if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return comesFromOutside(Substituted->getReplacement(), Outer);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
      Construct && Construct->getConstructor()->isTrivial() && Construct->getNumArgs() == 1)
    return comesFromOutside(Construct->getArg(0), Outer);
  if (const auto *List = dyn_cast<InitListExpr>(E)) {
    for (const Expr *Init : List->inits())
      if (comesFromOutside(Init, Outer))
        return true;
    return List->hasArrayFiller() && comesFromOutside(List->getArrayFiller(), Outer);
  }
  return true;
}

/// Of `object.array[i].member`, where no pointer leads on.
bool LocalValues::elementComesFromOutside(const Expr *E, const Variables &Outer) const {
  for (; E && !baseVariable(E); E = withoutElement(E)) {
    if (isOfObject(E))
      return false;
    const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
    if (E->getType().isVolatileQualified() ||
        (Subscript && comesFromOutside(Subscript->getIdx(), Outer)))
      return true;
  }
  const VarDecl *V = E ? local(E) : nullptr;
  if (V)
    return Outer.contains(V);
  return !E || E->getType().isVolatileQualified() ||
         !(ConstantsStay && isOfConstantMemory(baseVariable(E)));
}

void LocalValues::collectReads(const Expr *E, Variables &Into) const {
  if (const VarDecl *V = local(E)) {
    Into.insert(V);
    return;
  }
  for (const Stmt *Child : E->children())
    if (const auto *Part = dyn_cast_or_null<Expr>(Child))
      collectReads(Part, Into);
}

bool LocalValues::isFixed(const VarDecl &V) const { return isa<ParmVarDecl>(V) && keepsFirst(V); }

bool LocalValues::keepsFirst(const VarDecl &V) const {
  return V.isLocalVarDeclOrParm() && V.hasLocalStorage() && !isSharedOfCudafe(V) &&
         !Exposed.contains(&V) && !Written.lookup(&V) && (isa<ParmVarDecl>(V) || V.hasInit());
}

bool LocalValues::isPositive(const Expr *E) const {
  if (!E || E->isValueDependent() || E->isTypeDependent())
    return false;
  E = E->IgnoreParenImpCasts();
  Expr::EvalResult Result;
  if (E->getType()->isIntegralOrEnumerationType() && E->EvaluateAsInt(Result, Whole.context()))
    return Result.Val.getInt().isStrictlyPositive();
  if (const Expr *Base = propertyBase(E))
    return isDimension(Base);
  if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
    return isDimension(Member->getBase());
  if (isDimension(E))
    return true;
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return Call->getDirectCallee() && isGroupSize(*Call->getDirectCallee(), Whole);
  // A narrow type could make zero of it.
  if (!E->getType()->isIntegralOrEnumerationType() ||
      Whole.context().getTypeSize(E->getType()) < 32)
    return false;
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return isPositive(Cast->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return (Binary->getOpcode() == BO_Mul || Binary->getOpcode() == BO_Add) &&
           isPositive(Binary->getLHS()) && isPositive(Binary->getRHS());
  const VarDecl *V = isa<DeclRefExpr>(E) ? local(E) : nullptr;
  return V && V->hasInit() && !isa<ParmVarDecl>(V) && !Written.lookup(V) &&
         isPositive(V->getInit());
}

} // namespace gpuinstr
