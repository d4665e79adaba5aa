// Whether a device function ends, whatever the host, other kernels and other blocks do.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/ends/SurelyEnds.h"

#include "ast/access/BlockCollectives.h"
#include "ast/access/KernelAccess.h"
#include "ast/access/KnownFunctions.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/access/ends/LoopExits.h"
#include "ast/access/ends/OuterValues.h"
#include "ast/access/library/InlineAssembly.h"
#include "ast/access/library/LibraryClasses.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace gpuinstr {

bool SurelyEnds::of(const FunctionDecl &F) {
  const Answer Known = answer(F);
  return Known.Ends && !Known.Followed;
}

SurelyEnds::Answer SurelyEnds::answer(const FunctionDecl &F) {
  const FunctionDecl *Definition = Whole.visible(F);
  if (!Definition)
    return {};
  auto [Known, Fresh] = Answers.try_emplace(Definition);
  if (!Fresh)
    return Known->second; // false for one that is being looked at: it calls itself
  llvm::SaveAndRestore Inner(Current, Definition);
  llvm::SaveAndRestore None(Needed, uint32_t(0));
  Answer Found;
  Found.Ends = body(*Definition);
  Found.Followed = Needed;
  return Answers[Definition] = Found;
}

bool SurelyEnds::body(const FunctionDecl &Definition) {
  for (const ParmVarDecl *P : Definition.parameters())
    if (P->getType().isDestructedType())
      return false;
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Definition))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      if (!expression(Init->getInit()))
        return false;
  if (isa<CXXDestructorDecl>(Definition)) // its members' destructors stand nowhere
    return false;
  uint32_t Followed = 0;
  const bool End = loopsEnd(Whole, Definition, Followed);
  Needed |= Followed;
  return End && statement(Definition.getBody());
}

bool SurelyEnds::children(const Stmt &S) {
  for (const Stmt *Child : S.children())
    if (Child && !statement(Child))
      return false;
  return true;
}

bool SurelyEnds::statement(const Stmt *S) {
  if (!S)
    return true;
  if (!Whole.step())
    return false;
  if (const auto *E = dyn_cast<Expr>(S))
    return expression(E);
  if (const auto *Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declarations->decls()) {
      const auto *V = dyn_cast<VarDecl>(D);
      if (V && (V->getType().isDestructedType() || V->hasAttr<CleanupAttr>()))
        return false;
      if (V && V->hasInit() && !expression(V->getInit()))
        return false;
      if (const auto *Parts = dyn_cast<DecompositionDecl>(D))
        for (const BindingDecl *Part : Parts->bindings())
          if (Part->getHoldingVar()) // a call of get<>()
            return false;
    }
    return true;
  }
  if (const auto *Assembly = dyn_cast<AsmStmt>(S))
    return readAssembly(*Assembly) && !waitsForOtherBlocks(*Assembly) && children(*S);
  if (const auto *Switch = dyn_cast<SwitchStmt>(S); Switch && entersStatements(*Switch))
    return false; // in the middle of a loop
  // LoopExits judged the loops. Jumps and exceptions are not in this list.
  if (isa<CompoundStmt, IfStmt, SwitchStmt, CaseStmt, DefaultStmt, BreakStmt, ContinueStmt,
          ReturnStmt, NullStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, AttributedStmt>(S))
    return children(*S);
  return false;
}

bool SurelyEnds::callee(const FunctionDecl &F, uint32_t &Followed) {
  Followed = 0;
  const LibraryEffect Effect = libraryEffect(F, Whole);
  if (mayWait(Effect))
    return false;
  llvm::StringRef Name = systemFunctionName(F, Whole);
  if (isEnding(Effect) || (!Name.empty() && (isEndingFunction(Name) || isNumberBuiltin(F))) ||
      isBlockCollective(F, Whole) || Whole.library(F))
    return true;
  const Answer Known = answer(F);
  Followed = Known.Followed;
  return Known.Ends;
}

/// For each of these parameters a variable of the function that is looked at, which no other
/// argument leads to: or one that this function itself got so.
bool SurelyEnds::passesOwn(const CallExpr &E, uint32_t Followed) {
  if (!Followed)
    return true;
  const bool HasObject = isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(E.getDirectCallee());
  const LocalValues Values(Whole, *Current);
  llvm::SmallPtrSet<const VarDecl *, 4> Passed;
  for (unsigned I = HasObject; I < E.getNumArgs(); ++I) {
    const Expr *Argument = E.getArg(I)->IgnoreParenImpCasts();
    const bool IsFollowed = I - HasObject < 32 && Followed >> (I - HasObject) & 1;
    const auto *Name = dyn_cast<DeclRefExpr>(Argument);
    const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    const bool IsReference = E.getArg(I)->isGLValue();
    if (IsReference && V && !Passed.insert(V).second)
      return false;
    if (!IsFollowed || isa<MaterializeTemporaryExpr>(Argument))
      continue;
    if (!V || Name->refersToEnclosingVariableOrCapture() || !Values.isUnshared(*V))
      return false;
    if (!V->getType()->isReferenceType())
      continue;
    const auto *Own = dyn_cast<ParmVarDecl>(V);
    if (!Own || Own->getFunctionScopeIndex() >= 32)
      return false;
    Needed |= uint32_t(1) << Own->getFunctionScopeIndex();
  }
  return true;
}

bool SurelyEnds::call(const CallExpr &E) {
  const FunctionDecl *Callee = E.getDirectCallee();
  if (!Callee || isa<CUDAKernelCallExpr>(E))
    return false;
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  if (Method && Method->isVirtual())
    return false;
  const bool Copies = Method && Method->isTrivial() &&
                      (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator());
  uint32_t Followed = 0;
  return (Copies || (callee(*Callee, Followed) && passesOwn(E, Followed))) && children(E);
}

bool SurelyEnds::expression(const Expr *E) {
  if (!E)
    return true;
  if (!Whole.step() || E->isTypeDependent() || !expression(arrayFiller(E)))
    return false;
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr, ExpressionTraitExpr,
          ArrayTypeTraitExpr, ConceptSpecializationExpr, RequiresExpr, CXXThisExpr, DeclRefExpr>(
          E) ||
      isThreadIndex(E))
    return true;
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(*Call);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    uint32_t Followed = 0;
    return (Construct->getConstructor()->isTrivial() ||
            (callee(*Construct->getConstructor(), Followed) && !Followed)) &&
           children(*E);
  }
  if (const auto *Lambda = dyn_cast<LambdaExpr>(E)) {
    for (const Expr *Captured : Lambda->capture_inits())
      if (!expression(Captured))
        return false;
    return !Lambda->getLambdaClass()->needsImplicitDestructor() ||
           Lambda->getLambdaClass()->hasTrivialDestructor();
  }
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
    return expression(Default->getExpr());
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(E))
    return expression(Default->getExpr());
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E)) {
    for (const Expr *Part : Pseudo->semantics())
      if (!expression(Part))
        return false;
    return true;
  }
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return expression(Opaque->getSourceExpr());
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    return New->getOperatorNew() && New->getOperatorNew()->isReservedGlobalPlacementOperator() &&
           children(*E);
  // Destructors of temporaries, exceptions, coroutines and what a later language adds: no.
  if (isa<CXXBindTemporaryExpr, CXXDeleteExpr, CXXThrowExpr, CXXInheritedCtorInitExpr, StmtExpr,
          CoroutineSuspendExpr, CXXDynamicCastExpr, CXXTypeidExpr>(E))
    return false;
  if (isa<CastExpr, UnaryOperator, BinaryOperator, AbstractConditionalOperator, ParenExpr,
          MemberExpr, ArraySubscriptExpr, InitListExpr, MaterializeTemporaryExpr, FullExpr,
          SubstNonTypeTemplateParmExpr, AtomicExpr, IntegerLiteral, FloatingLiteral,
          CharacterLiteral, StringLiteral, PredefinedExpr, CXXBoolLiteralExpr,
          CXXNullPtrLiteralExpr, CXXScalarValueInitExpr, ImplicitValueInitExpr, GNUNullExpr,
          CompoundLiteralExpr, ArrayInitLoopExpr, ArrayInitIndexExpr, MSPropertyRefExpr,
          CXXStdInitializerListExpr, OffsetOfExpr, SizeOfPackExpr, ExtVectorElementExpr,
          CXXParenListInitExpr>(E))
    return children(*E);
  return false;
}

} // namespace gpuinstr
