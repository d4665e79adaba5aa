// Gives device functions the bodies that cudafe++ disabled, for as long as somebody reads them.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/DisabledBodies.h"

#include "ast/nvcc/SecondParser.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
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

} // namespace

DisabledBodies::DisabledBodies(CompilerInstance &CI) : CI(CI) {}

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
    }
}

bool DisabledBodies::parse(FunctionDecl &Into, const DisabledText &Text) {
  if (Text.Nested)
    return false;
  if (!Second)
    Second = std::make_unique<SecondParser>(CI);
  Former.emplace_back(&Into, nullptr);
  return Second->parseBody(Into, Second->lex(Text.Begin, Text.End));
}

/// The definition of a function that stands in the file as it is, or as a template.
const FunctionDecl *DisabledBodies::findWritten(FunctionDecl &F) {
  for (FunctionDecl *D : F.redecls()) {
    auto Text = textBehind(*D);
    if (!Text)
      continue;
    takeBodies(F);
    if (!parse(*D, *Text))
      return nullptr;
    Texts[D] = *Text;
    return D;
  }
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = F.getBody(Definition);
  return Body && !isStub(Body) ? Definition : nullptr;
}

const FunctionDecl *DisabledBodies::instantiate(FunctionDecl &F) {
  if (!Second)
    Second = std::make_unique<SecondParser>(CI);
  takeBodies(F);
  if (!Second->instantiate(F))
    return nullptr;
  const FunctionDecl *Definition = nullptr;
  if (!F.isDefined(Definition))
    return nullptr;
  Former.emplace_back(const_cast<FunctionDecl *>(Definition), nullptr);
  return Definition;
}

const FunctionDecl *DisabledBodies::find(FunctionDecl &F) {
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
  return Answers[Key] = Found;
}

} // namespace gpuinstr
