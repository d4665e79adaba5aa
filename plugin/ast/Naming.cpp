// Names of declarations as a reader of the report knows them.
// SPDX-License-Identifier: Apache-2.0
#include "ast/Naming.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned NameLimit = 300; ///< bytes; expression templates have names of kilobytes

PrintingPolicy policyOf(const ASTContext &Context) {
  PrintingPolicy Policy = Context.getPrintingPolicy();
  Policy.AnonymousTagLocations = false;
  Policy.SuppressTagKeyword = true;
  Policy.SuppressUnwrittenScope = true;
  Policy.UsePreferredNames = true;
  Policy.SuppressDefaultTemplateArgs = true;
  return Policy;
}

void printArguments(llvm::raw_ostream &OS, const TemplateArgumentList *Arguments,
                    const TemplateParameterList *Parameters, const PrintingPolicy &Policy) {
  if (Arguments)
    printTemplateArgumentList(OS, Arguments->asArray(), Policy, Parameters);
}

void printOwnName(llvm::raw_ostream &OS, const NamedDecl &D, const ASTContext &Context) {
  const PrintingPolicy Policy = policyOf(Context);
  const auto *Function = dyn_cast<FunctionDecl>(&D);
  const auto *Method = dyn_cast<CXXMethodDecl>(&D);
  if (Method && (isa<CXXConstructorDecl>(Method) || isa<CXXDestructorDecl>(Method))) {
    OS << (isa<CXXDestructorDecl>(Method) ? "~" : "") << Method->getParent()->getDeclName();
    return;
  }
  const auto *Record = dyn_cast<CXXRecordDecl>(&D);
  if (Record && Record->isLambda()) {
    OS << "lambda";
    return;
  }
  if (!D.getDeclName())
    OS << (isa<NamespaceDecl>(D) ? "(anonymous namespace)" : "(anonymous)");
  else
    D.getDeclName().print(OS, Policy);
  if (Function) {
    const FunctionTemplateDecl *Template = Function->getPrimaryTemplate();
    printArguments(OS, Function->getTemplateSpecializationArgs(),
                   Template ? Template->getTemplateParameters() : nullptr, Policy);
  } else if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(&D)) {
    printArguments(OS, &Spec->getTemplateArgs(),
                   Spec->getSpecializedTemplate()->getTemplateParameters(), Policy);
  }
}

void printQualified(llvm::raw_ostream &OS, const NamedDecl &D, const ASTContext &Context) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&D);
  // The call operator of a lambda is the lambda.
  if (Method && Method->getParent()->isLambda())
    return printQualified(OS, *Method->getParent(), Context);
  const DeclContext *Outer = D.getDeclContext();
  while (Outer) {
    const auto *Space = dyn_cast<NamespaceDecl>(Outer);
    if (isa<NamedDecl>(Outer) && !(Space && Space->isInline()))
      break;
    Outer = Outer->getParent();
  }
  if (Outer) {
    printQualified(OS, *cast<NamedDecl>(Outer), Context);
    OS << "::";
  }
  printOwnName(OS, D, Context);
}

bool isCudaName(const FunctionDecl &F) {
  const IdentifierInfo *Name = F.getIdentifier();
  return Name && Name->getName().starts_with("cu") && F.getDeclContext()->isTranslationUnit();
}

} // namespace

std::string shortened(std::string Text, unsigned Limit) {
  if (Text.size() <= Limit || Limit < 8)
    return Text;
  std::size_t Head = (Limit - 3 + 1) / 2, Tail = Limit - 3 - Head;
  auto Continues = [&](std::size_t I) { return (Text[I] & 0xC0) == 0x80; }; // inside UTF-8
  while (Head && Continues(Head))
    --Head;
  std::size_t From = Text.size() - Tail;
  while (From < Text.size() && Continues(From))
    ++From;
  return Text.substr(0, Head) + "..." + Text.substr(From);
}

std::string qualifiedName(const NamedDecl &D, const ASTContext &Context) {
  if (const auto *Space = dyn_cast<NamespaceDecl>(&D); Space && Space->isInline())
    if (const auto *Outer = dyn_cast<NamespaceDecl>(Space->getParent()))
      return qualifiedName(*Outer, Context);
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  printQualified(OS, D, Context);
  return shortened(std::move(OS.str()), NameLimit);
}

std::string libraryCalleeName(const FunctionDecl &F, const CXXRecordDecl *Object,
                              const ASTContext &Context) {
  const auto *Scope = Object ? Object : dyn_cast<NamedDecl>(F.getDeclContext());
  if (!F.getIdentifier() || !Scope)
    return qualifiedName(F, Context);
  return shortened(qualifiedName(*Scope, Context) + "::" + F.getIdentifier()->getName().str(),
                   NameLimit);
}

std::string calleeName(const FunctionDecl &F, const ASTContext &Context) {
  const DeclContext *Space = F.getDeclContext()->getRedeclContext();
  const bool Global = Space->isTranslationUnit();
  if (Global && F.getIdentifier() && isCudaName(F) && !F.hasAttr<CUDAGlobalAttr>())
    return F.getIdentifier()->getName().str();
  return qualifiedName(F, Context);
}

std::string typeName(QualType T, const ASTContext &Context) {
  if (T.isNull())
    return "";
  PrintingPolicy Policy = policyOf(Context);
  return shortened(T.getUnqualifiedType().getAsString(Policy), NameLimit);
}

} // namespace gpuinstr
