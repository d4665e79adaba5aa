// Whether a function launches a kernel of its own choice or of its caller's.
// SPDX-License-Identifier: Apache-2.0
#include "ast/GivenKernel.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// Classes inside of classes: Apply<Twice<Lambda>>.
constexpr unsigned MostLevels = 4;

bool hasCallOperator(const CXXRecordDecl &Class) {
  if (!Class.hasDefinition())
    return false;
  const DeclarationName Name = Class.getASTContext().DeclarationNames.getCXXOperatorName(OO_Call);
  return Class.isLambda() || !Class.getDefinition()->lookup(Name).empty();
}

/// Calls Visit for all arguments, those of packs one by one.
template <class Fn> void eachArgument(llvm::ArrayRef<TemplateArgument> Arguments, Fn Visit) {
  for (const TemplateArgument &A : Arguments)
    if (A.getKind() == TemplateArgument::Pack)
      eachArgument(A.getPackAsArray(), Visit);
    else
      Visit(A);
}

/// Those of the function and of the classes around it.
template <class Fn> void eachArgumentOf(const FunctionDecl &F, Fn Visit) {
  if (const TemplateArgumentList *Own = F.getTemplateSpecializationArgs())
    eachArgument(Own->asArray(), Visit);
  for (const DeclContext *In = F.getDeclContext(); In; In = In->getParent())
    if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(In))
      eachArgument(Class->getTemplateArgs().asArray(), Visit);
}

const CXXRecordDecl *classOf(const TemplateArgument &A) {
  if (A.getKind() != TemplateArgument::Type)
    return nullptr;
  const CXXRecordDecl *Class = A.getAsType().getNonReferenceType()->getAsCXXRecordDecl();
  return Class ? Class->getCanonicalDecl() : nullptr;
}

using Classes = llvm::SmallPtrSet<const CXXRecordDecl *, 4>;

bool mentions(const TemplateArgument &A, const Classes &Functors, unsigned Level = 0) {
  const CXXRecordDecl *Class = classOf(A);
  if (!Class || Level == MostLevels)
    return false;
  bool Found = Functors.contains(Class);
  if (const auto *Inner = dyn_cast<ClassTemplateSpecializationDecl>(Class))
    eachArgument(Inner->getTemplateArgs().asArray(), [&](const TemplateArgument &Of) {
      Found = Found || mentions(Of, Functors, Level + 1);
    });
  return Found;
}

} // namespace

bool isGivenKernel(const FunctionDecl &Kernel, const FunctionDecl &Launcher) {
  bool Found = false;
  Classes Functors;
  eachArgumentOf(Launcher, [&](const TemplateArgument &A) {
    if (A.getKind() == TemplateArgument::Declaration)
      Found = Found || A.getAsDecl()->getCanonicalDecl() == Kernel.getCanonicalDecl();
    else if (const CXXRecordDecl *Class = classOf(A); Class && hasCallOperator(*Class))
      Functors.insert(Class);
  });
  if (!Found && !Functors.empty())
    eachArgumentOf(Kernel,
                   [&](const TemplateArgument &A) { Found = Found || mentions(A, Functors); });
  return Found;
}

} // namespace gpuinstr
