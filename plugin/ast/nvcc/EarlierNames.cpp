// Whether the names in a body that is parsed late mean what they meant where it stands.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/EarlierNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// What has to be declared before a name of D can mean it: of members their class, of what is made
/// from a template that.
const Decl *declaredFirst(const Decl *D) {
  while (isa<RecordDecl, EnumDecl>(D->getDeclContext()))
    D = cast<Decl>(D->getDeclContext());
  if (const auto *F = dyn_cast<FunctionDecl>(D); F && F->getPrimaryTemplate())
    return F->getPrimaryTemplate();
  if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(D))
    return Class->getSpecializedTemplate();
  if (const auto *V = dyn_cast<VarTemplateSpecializationDecl>(D))
    return V->getSpecializedTemplate();
  return D;
}

const NamespaceDecl *namespaceOf(const DeclContext &C) {
  return dyn_cast<NamespaceDecl>(C.getEnclosingNamespaceContext()->getPrimaryContext());
}

/// An argument's type has a function looked for where it stands itself.
bool leadsTo(QualType T, const NamespaceDecl *Of, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  while (T->isPointerType() || T->isReferenceType() || T->isArrayType())
    T = T->isArrayType() ? QualType(T->getBaseElementTypeUnsafe(), 0) : T->getPointeeType();
  const TagDecl *Tag = T->getAsTagDecl();
  if (!Tag || Depth == MaxDepth)
    return false;
  const auto *Class = dyn_cast<CXXRecordDecl>(Tag);
  const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(Tag);
  auto IsOne = [&](QualType Part) { return leadsTo(Part, Of, Depth + 1); };
  return namespaceOf(*Tag->getDeclContext()) == Of ||
         (Class && Class->hasDefinition() &&
          llvm::any_of(Class->bases(), [&](const auto &B) { return IsOne(B.getType()); })) ||
         (Special && llvm::any_of(Special->getTemplateArgs().asArray(), [&](const auto &A) {
            return A.getKind() == TemplateArgument::Type && IsOne(A.getAsType());
          }));
}

/// In a template that may be declared behind it.
bool isFoundByArgument(const NamedDecl &D) {
  const auto *F = dyn_cast<FunctionDecl>(&D);
  const NamespaceDecl *Of = F ? namespaceOf(*F->getDeclContext()) : nullptr;
  return F && llvm::any_of(F->parameters(),
                           [&](const ParmVarDecl *P) { return leadsTo(P->getType(), Of); });
}

using Namespaces = llvm::SmallPtrSet<const NamespaceDecl *, 8>;

} // namespace

bool EarlierNames::areAllIn(const FunctionDecl &Definition) {
  const SourceManager &SM = CI.getSourceManager();
  const Stmt *Body = Definition.getBody();
  if (!Body)
    return true;
  const SourceLocation Last = SM.getExpansionLoc(Body->getEndLoc());
  if (Last.isInvalid() || SM.getFileID(Last) != SM.getMainFileID())
    return true;
  Around = &Definition;
  IsInstance = Definition.getTemplateInstantiationPattern();
  End = SM.getFileOffset(Last);
  return statement(Body);
}

bool EarlierNames::isEarlier(const Decl *D) const {
  const SourceManager &SM = CI.getSourceManager();
  D = declaredFirst(D);
  if (D->isTemplateParameter() || !D->getDeclContext()->getRedeclContext()->isFileContext())
    return true; // its own
  auto IsBefore = [&](const Decl *One) {
    const SourceLocation Loc = SM.getExpansionLoc(One->getLocation());
    return Loc.isInvalid() || SM.getFileID(Loc) != SM.getMainFileID() ||
           SM.getFileOffset(Loc) < End;
  };
  return llvm::any_of(D->redecls(), IsBefore);
}

void EarlierNames::findDirectives(const DeclContext &In, bool OfFile) {
  const SourceManager &SM = CI.getSourceManager();
  for (const Decl *D : In.noload_decls()) {
    if (const auto *Using = dyn_cast<UsingDirectiveDecl>(D); Using && !Using->isImplicit()) {
      const SourceLocation Loc = SM.getExpansionLoc(Using->getLocation());
      const NamespaceDecl *Opens = Using->getNominatedNamespace();
      if (Opens && SM.getFileID(Loc) == SM.getMainFileID())
        Directives.push_back({SM.getFileOffset(Loc), namespaceOf(*Opens), OfFile});
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D)) {
      findDirectives(*cast<DeclContext>(D), OfFile && !isa<NamespaceDecl>(D));
    }
  }
}

/// A directive behind the body opens the namespace of D to names without that, and none before it
/// did.
bool EarlierNames::isOpenedLater(const NamedDecl &D, bool Qualified) {
  const NamespaceDecl *Of = namespaceOf(*declaredFirst(&D)->getDeclContext());
  if (!Of)
    return false;
  for (const DeclContext *C = Around->getDeclContext(); C; C = C->getParent())
    if (C->getPrimaryContext() == Of)
      return false;
  if (!HasDirectives)
    findDirectives(*CI.getASTContext().getTranslationUnitDecl(), true);
  HasDirectives = true;
  // What they open, and what the directives in there open.
  auto Opened = [&](auto Counts) {
    Namespaces All;
    for (const Directive &One : Directives)
      if (Counts(One))
        All.insert(One.Opens);
    for (std::size_t Before = 0; Before != All.size();) {
      Before = All.size();
      for (const NamespaceDecl *Open : Namespaces(All))
        for (const UsingDirectiveDecl *Inner : Open->using_directives())
          if (const NamespaceDecl *Next = Inner->getNominatedNamespace())
            All.insert(namespaceOf(*Next));
    }
    return All.contains(Of);
  };
  return Opened([&](const Directive &One) {
           return One.Offset > End && (!Qualified || !One.OfFile);
         }) &&
         !Opened([&](const Directive &One) { return One.Offset < End; });
}

bool EarlierNames::isNamedAlike(const DeclRefExpr &Name) {
  const NamedDecl &D = *Name.getDecl();
  // A class is known as a whole; of a template's argument it may be a later one.
  if (isa<RecordDecl>(D.getDeclContext()->getRedeclContext()) ||
      (IsInstance && isFoundByArgument(D)))
    return true;
  return isEarlier(&D) && !isOpenedLater(D, Name.hasQualifier()) &&
         (!isa<UsingShadowDecl>(Name.getFoundDecl()) || isEarlier(Name.getFoundDecl()));
}

/// In a template it may be the argument.
bool EarlierNames::type(QualType T) const {
  if (IsInstance)
    return true;
  while (!T.isNull()) {
    if (const auto *Alias = dyn_cast<TypedefType>(T.getTypePtr());
        Alias && !isEarlier(Alias->getDecl()))
      return false;
    if (T->isAnyPointerType() || T->isReferenceType()) {
      T = T->getPointeeType();
      continue;
    }
    const QualType Next = T.getSingleStepDesugaredType(CI.getASTContext());
    if (Next == T)
      break;
    T = Next;
  }
  const TagDecl *Tag = T.isNull() ? nullptr : T->getAsTagDecl();
  return !Tag || isEarlier(Tag);
}

bool EarlierNames::statement(const Stmt *S) {
  // A template's argument was named where the template is used.
  if (!S || isa<SubstNonTypeTemplateParmExpr>(S))
    return true;
  if (const auto *Name = dyn_cast<DeclRefExpr>(S)) {
    if (!isNamedAlike(*Name))
      return false;
  } else if (const auto *Cast = dyn_cast<ExplicitCastExpr>(S)) {
    if (!type(Cast->getTypeAsWritten()))
      return false;
  } else if (const auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(S)) {
    if (Trait->isArgumentType() && !type(Trait->getArgumentType()))
      return false;
  } else if (const auto *New = dyn_cast<CXXNewExpr>(S)) {
    if (!type(New->getAllocatedType()) ||
        (New->getOperatorNew() && !isEarlier(New->getOperatorNew())))
      return false;
  } else if (isa<CXXConstructExpr, CXXScalarValueInitExpr>(S)) {
    if (!type(cast<Expr>(S)->getType()))
      return false;
  } else if (const auto *Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declarations->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && !type(V->getType()))
        return false;
  } else if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    if (!statement(Lambda->getBody()))
      return false;
  }
  return llvm::all_of(S->children(), [&](const Stmt *Child) { return statement(Child); });
}

} // namespace gpuinstr
