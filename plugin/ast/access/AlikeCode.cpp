// Whether the device compile reads a function as the host's does, with all that it uses.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/AlikeCode.h"

#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/source/DeviceCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {

/// Its size is another one on the device.
static bool isOfTarget(QualType T) {
  return T.getCanonicalType()->isSpecificBuiltinType(BuiltinType::LongDouble);
}

bool AlikeCode::isOfDevice(const NamedDecl &Named) {
  const NamedDecl *D = Named.getUnderlyingDecl();
  if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
    D = Template->getTemplatedDecl();
  return isa<FunctionDecl>(D) && isOfDeviceAlone(*D) && !Whole.isSystem(D->getLocation());
}

/// It names one of several functions; the device may choose one of its own that the host must not
/// call. Where even the host's compile chose one of those, none of its own would have done.
bool AlikeCode::choosesAlike(const FunctionDecl &Named) {
  return !BothSides || isOfDeviceAlone(Named) ||
         llvm::none_of(Named.getDeclContext()->lookup(Named.getDeclName()),
                       [&](const NamedDecl *Other) { return isOfDevice(*Other); });
}

/// Likewise of those that stand beside the argument's type, or in it as friends.
bool AlikeCode::choosesAlike(const FunctionDecl &Named, QualType Argument) {
  while (Argument->isPointerType() || Argument->isReferenceType())
    Argument = Argument->getPointeeType();
  const CXXRecordDecl *Class = Argument->getAsCXXRecordDecl();
  Class = Class ? Class->getDefinition() : nullptr;
  if (!Class || !Whole.step())
    return true;
  const DeclarationName Name = Named.getDeclName();
  auto Chooses = [&](const NamedDecl *Other) { return isOfDevice(*Other); };
  if (llvm::any_of(Class->getEnclosingNamespaceContext()->lookup(Name), Chooses) ||
      llvm::any_of(Class->friends(), [&](const FriendDecl *Friend) {
        const NamedDecl *Other = Friend->getFriendDecl();
        return Other && Other->getDeclName() == Name && isOfDevice(*Other);
      }))
    return false;
  if (const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(Class))
    for (const TemplateArgument &A : Special->getTemplateArgs().asArray())
      if (A.getKind() == TemplateArgument::Type && !choosesAlike(Named, A.getAsType()))
        return false;
  return llvm::all_of(Class->bases(), [&](const CXXBaseSpecifier &Base) {
    return choosesAlike(Named, Base.getType());
  });
}

bool AlikeCode::isAlike(const FunctionDecl &Definition) {
  if (Code.differs(Definition))
    return false;
  if (Whole.isSystem(Definition.getLocation()))
    return true;
  BothSides = Definition.getASTContext().getLangOpts().CUDA &&
              !Definition.hasAttr<CUDAGlobalAttr>() && !isOfDeviceAlone(Definition);
  for (const ParmVarDecl *P : Definition.parameters())
    if (!type(P->getType()))
      return false;
  if (!type(Definition.getReturnType()))
    return false;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Definition);
      Method && !declaration(Method->getParent()))
    return false;
  if (const TemplateArgumentList *Arguments = Definition.getTemplateSpecializationArgs())
    for (const TemplateArgument &A : Arguments->asArray())
      if (!argument(A))
        return false;
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Definition))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      if (!statement(Init->getInit()))
        return false;
  return statement(Definition.getBody());
}

bool AlikeCode::statement(const Stmt *S) {
  if (!S)
    return true;
  if (!Whole.step())
    return false;
  if (const auto *E = dyn_cast<Expr>(S))
    if (!expression(*E) || !statement(arrayFiller(E)))
      return false;
  if (isa<OMPExecutableDirective, CapturedStmt>(S)) // the device's compile knows no OpenMP
    return false;
  if (const auto *Declarations = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declarations->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        if (!type(V->getType()) || !statement(V->getInit()))
          return false;
  for (const Stmt *Child : S->children())
    if (!statement(Child))
      return false;
  return true;
}

bool AlikeCode::expression(const Expr &E) {
  if (!type(E.getType()))
    return false;
  if (const auto *Name = dyn_cast<DeclRefExpr>(&E)) {
    for (const TemplateArgumentLoc &A : Name->template_arguments())
      if (!argument(A.getArgument()))
        return false;
    const auto *Function = dyn_cast<FunctionDecl>(Name->getDecl());
    return Function ? choosesAlike(*Function) : declaration(Name->getDecl());
  }
  if (const auto *Member = dyn_cast<MemberExpr>(&E)) {
    const auto *Function = dyn_cast<FunctionDecl>(Member->getMemberDecl());
    return Function ? choosesAlike(*Function) : declaration(Member->getMemberDecl());
  }
  if (const auto *Call = dyn_cast<CallExpr>(&E); Call && BothSides) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    return !Callee || isa<CXXMethodDecl>(Callee) || isOfDeviceAlone(*Callee) ||
           llvm::all_of(Call->arguments(), [&](const Expr *Argument) {
             return choosesAlike(*Callee, Argument->IgnoreImplicit()->getType());
           });
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(&E))
    return choosesAlike(*Construct->getConstructor());
  if (const auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(&E))
    return !Trait->isArgumentType() ||
           (type(Trait->getArgumentType()) && !isOfTarget(Trait->getArgumentType()));
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(&E))
    return type(Cast->getTypeAsWritten());
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(&E))
    return statement(Default->getExpr());
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(&E))
    return statement(Default->getExpr());
  return true;
}

bool AlikeCode::argument(const TemplateArgument &A) {
  switch (A.getKind()) {
  case TemplateArgument::Type:
    return type(A.getAsType());
  case TemplateArgument::Expression:
    return statement(A.getAsExpr());
  case TemplateArgument::Declaration:
    return isa<FunctionDecl>(A.getAsDecl()) || declaration(A.getAsDecl());
  case TemplateArgument::Pack:
    for (const TemplateArgument &Element : A.pack_elements())
      if (!argument(Element))
        return false;
    return true;
  default:
    return true;
  }
}

/// The type and every name that it was spelled by.
bool AlikeCode::type(QualType T) {
  if (T.isNull() || T->isBuiltinType())
    return true;
  auto [Known, Fresh] = Types.try_emplace(T.getAsOpaquePtr(), true);
  if (!Fresh)
    return Known->second;
  bool Same = Whole.step();
  if (const auto *Alias = dyn_cast<TypedefType>(T.getTypePtr()))
    Same = Same && declaration(Alias->getDecl());
  if (const auto *Special = dyn_cast<TemplateSpecializationType>(T.getTypePtr()))
    for (const TemplateArgument &A : Special->template_arguments())
      Same = Same && argument(A);
  if (const auto *Array = dyn_cast<ConstantArrayType>(T.getTypePtr()))
    Same = Same && statement(Array->getSizeExpr());
  if (const auto *Array = dyn_cast<ArrayType>(T.getTypePtr()))
    Same = Same && type(Array->getElementType());
  if (T->isAnyPointerType() || T->isReferenceType())
    Same = Same && type(T->getPointeeType());
  if (const TagDecl *Tag = T->getAsTagDecl())
    Same = Same && declaration(Tag);
  const QualType Next = T.getSingleStepDesugaredType(Whole.context());
  if (Next != T)
    Same = Same && type(Next);
  return Types[T.getAsOpaquePtr()] = Same;
}

bool AlikeCode::declaration(const Decl *D) {
  if (!D || D->isImplicit())
    return true;
  if (const auto *Tag = dyn_cast<TagDecl>(D))
    if (const TagDecl *Definition = Tag->getDefinition())
      D = Definition;
  auto [Known, Fresh] = Declarations.try_emplace(D, true);
  if (!Fresh)
    return Known->second;
  const bool Same = declared(*D);
  return Declarations[D] = Same;
}

bool AlikeCode::declared(const Decl &D) {
  if (!Whole.step())
    return false;
  // A part of the function that is being looked at.
  const auto *V = dyn_cast<VarDecl>(&D);
  if (V && V->isLocalVarDeclOrParm())
    return true;
  if (D.getLocation().isValid() && Whole.isSystem(D.getLocation()))
    return true;
  if (Code.differs(D))
    return false;
  if (V)
    return type(V->getType()) && (!V->hasInit() || statement(V->getInit()));
  if (const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&D))
    for (const TemplateArgument &A : Special->getTemplateArgs().asArray())
      if (!argument(A))
        return false;
  if (const auto *Constant = dyn_cast<EnumConstantDecl>(&D))
    return statement(Constant->getInitExpr());
  const auto *Class = dyn_cast<CXXRecordDecl>(&D);
  if (!Class || Class->isLambda())
    return true;
  if (Class->hasDefinition())
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (!type(Base.getType()))
        return false;
  for (const FieldDecl *Field : Class->fields())
    if (!type(Field->getType()))
      return false;
  return true;
}

} // namespace gpuinstr
