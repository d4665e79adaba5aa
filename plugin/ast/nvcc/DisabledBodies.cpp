// Gives device functions the bodies that cudafe++ disabled, for as long as somebody reads them.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/DisabledBodies.h"

#include "compat/ClangCompat.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// What stands in place of a device function's body: `{int volatile ___ = 1; ... ::exit(___);}`, or
/// a kernel's call of its launch stub.
bool isStub(const Stmt *Body) {
  const auto *Block = dyn_cast_or_null<CompoundStmt>(Body);
  if (!Block || Block->body_empty())
    return false;
  if (const auto *First = dyn_cast<DeclStmt>(*Block->body_begin())) {
    const auto *V = First->isSingleDecl() ? dyn_cast<VarDecl>(First->getSingleDecl()) : nullptr;
    return V && V->getIdentifier() && V->getName() == "___";
  }
  const auto *Call = dyn_cast<CallExpr>(*Block->body_begin());
  if (!Call)
    return false;
  llvm::StringRef Name;
  if (const FunctionDecl *Callee = Call->getDirectCallee(); Callee && Callee->getIdentifier())
    Name = Callee->getName();
  else if (const auto *Lookup = dyn_cast<OverloadExpr>(Call->getCallee()->IgnoreParenImpCasts());
           Lookup && Lookup->getName().isIdentifier())
    Name = Lookup->getName().getAsIdentifierInfo()->getName();
  return Name.contains("__device_stub_");
}

/// The closure holds, in this order, what the object that stands for it is given.
bool holdsInOrder(const LambdaExpr &E, llvm::ArrayRef<const IdentifierInfo *> Given) {
  if (E.capture_size() != Given.size())
    return false;
  auto Init = E.capture_init_begin();
  for (auto [C, Name] : llvm::zip(E.captures(), Given)) {
    const Expr *From = *Init++;
    if (!Name || !From || C.isPackExpansion())
      return false;
    if (C.getCaptureKind() == LCK_StarThis) {
      if (Name->getName() != "this")
        return false;
      continue;
    }
    if (!C.capturesVariable() || C.getCaptureKind() != LCK_ByCopy)
      return false;
    if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()); V && V->isInitCapture())
      From = V->getInit();
    while (From) {
      From = From->IgnoreParenImpCasts();
      const auto *Copy = dyn_cast<CXXConstructExpr>(From);
      if (!Copy || Copy->getNumArgs() != 1)
        break;
      From = Copy->getArg(0);
    }
    const auto *Named = dyn_cast_or_null<DeclRefExpr>(From);
    if (!Named || Named->getDecl()->getIdentifier() != Name)
      return false;
  }
  return true;
}

} // namespace

DisabledBodies::DisabledBodies(CompilerInstance &CI) : CI(CI), Names(CI) {}

DisabledBodies::~DisabledBodies() {
  for (auto [F, Body] : llvm::reverse(Former))
    F->setBody(Body);
}

std::optional<DisabledText> DisabledBodies::textBehind(const FunctionDecl &D) const {
  const SourceManager &SM = CI.getSourceManager();
  const Stmt *Body = D.doesThisDeclarationHaveABody() ? D.getBody() : nullptr;
  const SourceLocation Loc = Body ? Body->getEndLoc() : D.getEndLoc();
  if (Loc.isInvalid() || Loc.isMacroID() || SM.getFileID(Loc) != SM.getMainFileID())
    return std::nullopt;
  const unsigned End = SM.getFileOffset(Loc) + Lexer::MeasureTokenLength(Loc, SM, CI.getLangOpts());
  return findDisabledText(SM.getBufferData(SM.getMainFileID()), End, Body);
}

std::optional<DisabledText> DisabledBodies::textOf(const FunctionDecl &Definition) const {
  const FunctionDecl *Written = Definition.getTemplateInstantiationPattern();
  auto Known = Texts.find(Written ? Written : &Definition);
  return Known == Texts.end() ? std::nullopt : std::optional(Known->second);
}

/// F and its redeclarations have no body afterwards.
void DisabledBodies::takeBodies(FunctionDecl &F) {
  for (FunctionDecl *D : F.redecls())
    if (D->doesThisDeclarationHaveABody()) {
      Former.emplace_back(D, D->getBody());
      D->setBody(nullptr);
      // A new body may use the same names.
      llvm::SmallVector<Decl *, 16> Locals;
      for (Decl *Local : D->decls())
        if (!isa<ParmVarDecl>(Local))
          Locals.push_back(Local);
      for (Decl *Local : Locals)
        D->removeDecl(Local);
    }
}

SecondParser &DisabledBodies::second() {
  if (!Second)
    Second = std::make_unique<SecondParser>(CI);
  return *Second;
}

bool DisabledBodies::parse(FunctionDecl &Into, unsigned Begin, unsigned End) {
  Former.emplace_back(&Into, nullptr);
  const std::vector<Token> Tokens = second().lex(Begin, End, Lambdas);
  // cudafe++ leaves a constructor's initialisers where they are. A body without any gets others.
  auto *Constructor = dyn_cast<CXXConstructorDecl>(&Into);
  const bool Keeps = Constructor && Constructor->getNumCtorInitializers() && !Tokens.empty() &&
                     Tokens.front().is(tok::l_brace);
  CXXCtorInitializer **const Initialisers = Keeps ? Constructor->init_begin() : nullptr;
  const unsigned Number = Keeps ? Constructor->getNumCtorInitializers() : 0;
  const bool Done = second().parseBody(Into, Tokens);
  if (Keeps) {
    Constructor->setNumCtorInitializers(Number);
    Constructor->setCtorInitializers(Initialisers);
  }
  return Done;
}

/// The definition of a function that stands in the file as it is, or as a template.
const FunctionDecl *DisabledBodies::findWritten(FunctionDecl &F) {
  for (FunctionDecl *D : F.redecls()) {
    auto Text = textBehind(*D);
    if (!Text)
      continue;
    takeBodies(F);
    if (!parse(*D, Text->Begin, Text->End))
      return nullptr;
    Texts[D] = *Text;
    return D;
  }
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = F.getBody(Definition);
  return Body && !isStub(Body) ? Definition : nullptr;
}

const FunctionDecl *DisabledBodies::instantiate(FunctionDecl &F) {
  takeBodies(F);
  if (!second().instantiate(F))
    return nullptr;
  const FunctionDecl *Definition = nullptr;
  if (!F.isDefined(Definition))
    return nullptr;
  Former.emplace_back(const_cast<FunctionDecl *>(Definition), nullptr);
  return Definition;
}

/// Parses a function of the host again, with its lambdas in place of the objects that stand for
/// them.
void DisabledBodies::findClosures(FunctionDecl &Around) {
  FunctionDecl *Written = Around.getTemplateInstantiationPattern();
  const FunctionDecl *Definition = nullptr;
  const auto *Body =
      dyn_cast_or_null<CompoundStmt>((Written ? *Written : Around).getBody(Definition));
  const SourceManager &SM = CI.getSourceManager();
  if (!Body || Body->getLBracLoc().isMacroID() ||
      SM.getFileID(Body->getLBracLoc()) != SM.getMainFileID())
    return;
  const unsigned Begin = SM.getFileOffset(Body->getLBracLoc());
  const unsigned End = SM.getFileOffset(Body->getRBracLoc()) + 1;
  auto &Into = const_cast<FunctionDecl &>(*Definition);
  takeBodies(Into);
  if (!parse(Into, Begin, End))
    return;
  // A template that got lambdas itself hands them on in its own.
  const FunctionDecl *Real = Written ? withLambdas(Around) : nullptr;
  const FunctionDecl *Made =
      Written ? instantiate(Real ? const_cast<FunctionDecl &>(*Real) : Around) : &Into;
  std::vector<const Stmt *> Open = {Made ? Made->getBody() : nullptr};
  while (!Open.empty()) {
    const Stmt *S = Open.back();
    Open.pop_back();
    if (!S)
      continue;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      for (const DisabledLambda &L : Lambdas)
        if (L.Begin == Lambda->getBeginLoc()) {
          Closures[{Around.getCanonicalDecl(), L.Number}] = Lambda->getLambdaClass();
          if (holdsInOrder(*Lambda, L.Given))
            InOrder.insert(Lambda->getLambdaClass());
        }
    Open.insert(Open.end(), S->child_begin(), S->child_end());
  }
}

bool DisabledBodies::isLaidOutAlike(QualType A, QualType B) const {
  const ASTContext &Context = CI.getASTContext();
  if (Context.hasSameUnqualifiedType(A, B))
    return true;
  const auto *Left = dyn_cast_or_null<ClassTemplateSpecializationDecl>(A->getAsCXXRecordDecl());
  const CXXRecordDecl *Right = B->getAsCXXRecordDecl();
  if (!Left || !Right || !Left->hasDefinition() || !Right->hasDefinition() || Left->getNumBases() ||
      Right->getNumBases() || Left->isUnion() || Right->isUnion())
    return false;
  const auto *Other = dyn_cast<ClassTemplateSpecializationDecl>(Right);
  const bool StandsForIt = Left->getIdentifier() && Left->getName() == "__nv_dl_wrapper_t" &&
                           InOrder.contains(Right->getCanonicalDecl());
  if (!StandsForIt && (!Other || Other->getSpecializedTemplate()->getCanonicalDecl() !=
                                     Left->getSpecializedTemplate()->getCanonicalDecl()))
    return false;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(Left);
  const ASTRecordLayout &Same = Context.getASTRecordLayout(Right);
  if (Layout.getSize() != Same.getSize() || Layout.getFieldCount() != Same.getFieldCount())
    return false;
  for (auto [F, G] : llvm::zip(Left->fields(), Right->fields()))
    if (Layout.getFieldOffset(F->getFieldIndex()) != Same.getFieldOffset(G->getFieldIndex()) ||
        !isLaidOutAlike(F->getType(), G->getType()))
      return false;
  return true;
}

const CXXRecordDecl *DisabledBodies::closureOf(const TemplateArgument &Tag) {
  const auto *Class =
      Tag.getKind() == TemplateArgument::Type
          ? dyn_cast_or_null<ClassTemplateSpecializationDecl>(Tag.getAsType()->getAsCXXRecordDecl())
          : nullptr;
  if (!Class || !Class->getIdentifier() || !Class->getName().starts_with("__nv_dl_"))
    return nullptr;
  const TemplateArgumentList &Arguments = Class->getTemplateArgs();
  if (Arguments.size() < 3 || Arguments[1].getKind() != TemplateArgument::Declaration ||
      Arguments[Arguments.size() - 1].getKind() != TemplateArgument::Integral)
    return nullptr;
  auto *Around = dyn_cast<FunctionDecl>(Arguments[1].getAsDecl());
  if (!Around)
    return nullptr;
  if (SearchedForClosures.insert(Around->getCanonicalDecl()).second)
    findClosures(*Around);
  auto Known =
      Closures.find({Around->getCanonicalDecl(),
                     unsigned(Arguments[Arguments.size() - 1].getAsIntegral().getZExtValue())});
  return Known == Closures.end() ? nullptr : Known->second;
}

/// The specialisation for the lambdas themselves where F is one for objects that stand for them. F
/// if there are none, null if one is not found.
const FunctionDecl *DisabledBodies::withLambdas(FunctionDecl &F) {
  const TemplateArgumentList *Arguments = F.getTemplateSpecializationArgs();
  if (!Arguments || !F.getPrimaryTemplate())
    return &F;
  llvm::SmallVector<TemplateArgument, 4> Real;
  bool Found = false;
  for (const TemplateArgument &A : Arguments->asArray()) {
    Real.push_back(A);
    if (A.getKind() != TemplateArgument::Type)
      continue;
    const auto *Class =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(A.getAsType()->getAsCXXRecordDecl());
    if (!Class || !Class->getIdentifier() || Class->getName() != "__nv_dl_wrapper_t")
      continue;
    const CXXRecordDecl *Closure = closureOf(Class->getTemplateArgs()[0]);
    if (!Closure)
      return nullptr;
    Real.back() = TemplateArgument(compat::typeOf(CI.getASTContext(), *Closure));
    Found = true;
  }
  return Found ? second().specialise(*F.getPrimaryTemplate(), Real) : &F;
}

const FunctionDecl *DisabledBodies::find(FunctionDecl &F) {
  const FunctionDecl *Real = withLambdas(F);
  if (Real != &F)
    return Real ? definition(*Real) : nullptr;
  FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  if (!Pattern)
    return findWritten(F);
  const FunctionDecl *Written = definition(*Pattern);
  if (!Written)
    return nullptr;
  // One that the host needed already has its pattern's body, unless that was another one.
  const FunctionDecl *Definition = nullptr;
  if (!Texts.count(Written) && F.hasBody(Definition))
    return Definition;
  return instantiate(F);
}

const FunctionDecl *DisabledBodies::definition(const FunctionDecl &F) {
  const FunctionDecl *Key = F.getCanonicalDecl();
  auto [Known, Fresh] = Answers.try_emplace(Key, nullptr);
  if (!Fresh)
    return Known->second;
  const FunctionDecl *Found = find(const_cast<FunctionDecl &>(F));
  if (Found && !Names.areAllIn(*Found))
    Found = nullptr;
  return Answers[Key] = Found;
}

} // namespace gpuinstr
