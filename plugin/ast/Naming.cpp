// Names of declarations as a reader of the report knows them.
// SPDX-License-Identifier: Apache-2.0
#include "ast/Naming.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned NameLimit = 300; ///< bytes; expression templates have names of kilobytes

bool isAnonymous(const NamespaceDecl &Space) {
  return Space.isAnonymousNamespace() || Space.getName().starts_with(NvccAnonymous);
}

/// Types are printed without anonymous namespaces around them.
std::string withoutAnonymous(std::string Text) {
  for (std::size_t At = 0; (At = Text.find(NvccAnonymous.data(), At)) != std::string::npos;) {
    std::size_t End = At;
    while (End < Text.size() && clang::isAsciiIdentifierContinue(Text[End]))
      ++End;
    if (llvm::StringRef(Text).substr(End).starts_with("::"))
      Text.erase(At, End + 2 - At);
    else
      At = End;
  }
  return Text;
}

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
  const auto *Space = dyn_cast<NamespaceDecl>(&D);
  if (Space && isAnonymous(*Space))
    OS << "(anonymous namespace)";
  else if (!D.getDeclName())
    OS << "(anonymous)";
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
  return shortened(withoutAnonymous(std::move(OS.str())), NameLimit);
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

std::string parameterName(const ParmVarDecl &Param) {
  std::string Name = Param.getName().str();
  unsigned Number = 1;
  if (const auto *F = dyn_cast<FunctionDecl>(Param.getDeclContext()); F && !Name.empty())
    for (const ParmVarDecl *Other : F->parameters()) {
      if (Other == &Param)
        break;
      Number += Other->getName() == Param.getName();
    }
  return Number == 1 ? Name : Name + "_" + std::to_string(Number);
}

std::string typeName(QualType T, const ASTContext &Context) {
  if (T.isNull())
    return "";
  PrintingPolicy Policy = policyOf(Context);
  std::string Text = T.getUnqualifiedType().getAsString(Policy);
  // As in `store::template Box<T>`, which cudafe++ writes for store::Box<T>.
  constexpr StringRef Disambiguator = "::template ";
  for (size_t At; (At = Text.find(Disambiguator)) != std::string::npos;)
    Text.erase(At + 2, Disambiguator.size() - 2);
  return shortened(withoutAnonymous(Text), NameLimit);
}

} // namespace gpuinstr
