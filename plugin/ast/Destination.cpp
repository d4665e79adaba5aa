// The variable that a call's result or copy lands in, as a reader of the source knows it.
// SPDX-License-Identifier: Apache-2.0
#include "ast/Destination.h"

#include "ast/CallWalker.h"
#include "ast/Naming.h"
#include "ast/source/SourceText.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

constexpr unsigned PathLimit = 80; ///< bytes

bool isOneOf(const FunctionDecl *F, std::initializer_list<StringRef> Names) {
  const IdentifierInfo *Name = F ? F->getIdentifier() : nullptr;
  return Name && llvm::is_contained(Names, Name->getName());
}

/// Without what does not change which object is meant: parentheses, casts of every kind, the
/// wrappers of temporaries, std::move and the like.
const Expr *bare(const Expr *E) {
  while (true) {
    const Expr *Before = E;
    E = E->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      // A conversion operator or constructor is a call on the object.
      E = Cast->getSubExprAsWritten();
    } else if (const auto *Full = dyn_cast<FullExpr>(E)) {
      E = Full->getSubExpr();
    } else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E)) {
      E = Temporary->getSubExpr();
    } else if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(E)) {
      E = Bound->getSubExpr();
    } else if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E)) {
      E = Substituted->getReplacement();
    } else if (const auto *Conversion = dyn_cast<CXXMemberCallExpr>(E);
               Conversion && isa_and_nonnull<CXXConversionDecl>(Conversion->getMethodDecl())) {
      E = Conversion->getImplicitObjectArgument();
    } else if (const auto *Call = dyn_cast<CallExpr>(E);
               Call && Call->getNumArgs() == 1 &&
               isOneOf(Call->getDirectCallee(), {"move", "forward", "as_const", "launder",
                                                 "raw_pointer_cast", "to_address"})) {
      E = Call->getArg(0);
    }
    if (E == Before)
      return E;
  }
}

/// The operand of `&x` or std::addressof(x), else null.
const Expr *addressed(const Expr *E) {
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_AddrOf)
    return Unary->getSubExpr();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
      Operator && Operator->getOperator() == OO_Amp && Operator->getNumArgs() == 1)
    return Operator->getArg(0);
  if (const auto *Call = dyn_cast<CallExpr>(E);
      Call && Call->getNumArgs() == 1 &&
      isOneOf(Call->getDirectCallee(), {"addressof", "__addressof", "__builtin_addressof"}))
    return Call->getArg(0);
  return nullptr;
}

const Expr *arrowObject(const Expr *E) {
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
  return Operator && Operator->getOperator() == OO_Arrow ? Operator->getArg(0) : nullptr;
}

/// A pointer to a struct that only a library knows: cublasHandle_t.
bool isOpaqueHandle(QualType T) {
  const auto *Pointer = T->getAs<PointerType>();
  const CXXRecordDecl *Class = Pointer ? Pointer->getPointeeCXXRecordDecl() : nullptr;
  if (Class)
    return !Class->hasDefinition();
  const auto *Record = Pointer ? Pointer->getPointeeType()->getAsRecordDecl() : nullptr; // in C
  return Record && !Record->getDefinition();
}

bool isInfix(const Expr *E) {
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
  return isa<BinaryOperator, AbstractConditionalOperator>(E) ||
         (Operator && Operator->isInfixBinaryOp());
}

/// Of something that has a name: not operator(), nor what the object's own function calls.
bool isGetter(const MemberExpr *Called) {
  return Called && Called->getMemberDecl()->getIdentifier() &&
         !isa<CXXThisExpr>(bare(Called->getBase()));
}

bool isDereference(StringRef Path) { return Path.starts_with("*"); }

} // namespace

/// What stands behind a `*`.
std::string DestinationNamer::operand(const Expr *E) {
  return isInfix(bare(E)) ? "(" + path(E) + ")" : path(E);
}

/// What stands before `[`, `.` or `->`.
std::string DestinationNamer::object(const Expr *E) {
  std::string Path = operand(E);
  return isDereference(Path) || StringRef(Path).starts_with("&") ? "(" + Path + ")" : Path;
}

std::string DestinationNamer::member(const Expr *Base, bool Arrow, StringRef Name) {
  // (*p).x is p->x.
  const auto *Star = dyn_cast<UnaryOperator>(Base);
  const bool Behind = !Arrow && Star && Star->getOpcode() == UO_Deref && isDereference(path(Base));
  return object(Behind ? bare(Star->getSubExpr()) : Base) + (Arrow || Behind ? "->" : ".") +
         Name.str();
}

std::string DestinationNamer::path(const Expr *E) {
  E = bare(E);
  if (isa<IntegerLiteral, CXXNullPtrLiteralExpr, GNUNullExpr>(E))
    return ""; // no variable
  if (const Expr *Object = arrowObject(E))
    return path(Object);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E); Ref && isa<ParmVarDecl>(Ref->getDecl()))
    return parameterName(*cast<ParmVarDecl>(Ref->getDecl()));
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E); Ref && Ref->getDecl()->getIdentifier())
    return Ref->getDecl()->getIdentifier()->getName().str();
  if (isa<CXXThisExpr>(E))
    return "this";
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const IdentifierInfo *Name = Member->getMemberDecl()->getIdentifier();
    if (!Name)
      return path(Member->getBase());
    const Expr *Base = bare(Member->getBase());
    for (const auto *Unnamed = dyn_cast<MemberExpr>(Base); // an anonymous struct or union
         Unnamed && !Unnamed->getMemberDecl()->getIdentifier();
         Unnamed = dyn_cast<MemberExpr>(Base)) {
      Member = Unnamed;
      Base = bare(Member->getBase());
    }
    const Expr *Pointer = arrowObject(Base);
    return member(Pointer ? Pointer : Base, Pointer || Member->isArrow(), Name->getName());
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return object(Subscript->getBase()) + "[" + Text.spelled(Subscript->getIdx()) + "]";
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E)) {
    if (Operator->getOperator() == OO_Subscript && Operator->getNumArgs() == 2)
      return object(Operator->getArg(0)) + "[" + Text.spelled(Operator->getArg(1)) + "]";
    if (Operator->getOperator() == OO_Star && Operator->getNumArgs() == 1)
      return "*" + operand(Operator->getArg(0));
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref) {
    const Expr *Pointer = bare(Unary->getSubExpr());
    if (const Expr *Object = addressed(Pointer))
      return path(Object);
    return "*" + operand(Pointer);
  }
  if (const Expr *Object = addressed(E))
    return "&" + path(Object);
  if (const auto *Getter = dyn_cast<CXXMemberCallExpr>(E); Getter && Getter->getNumArgs() == 0)
    if (const auto *Called = dyn_cast<MemberExpr>(bare(Getter->getCallee())); isGetter(Called)) {
      // Not as it is spelled: cudafe++ writes (data).get().
      const Expr *Base = bare(Called->getBase());
      const Expr *Pointer = arrowObject(Base);
      const std::string Path = member(Pointer ? Pointer : Base, Pointer || Called->isArrow(),
                                      Called->getMemberDecl()->getName()) +
                               "()";
      return shortened(Path, PathLimit);
    }
  return shortened(Text.spelled(E), PathLimit);
}

/// What `element_type` of a class template stands for.
static QualType withoutMemberName(QualType T) {
  const auto *Typedef = T->getAs<TypedefType>();
  while (Typedef && isa<ClassTemplateSpecializationDecl>(Typedef->getDecl()->getDeclContext())) {
    T = Typedef->getDecl()->getUnderlyingType();
    Typedef = T->getAs<TypedefType>();
  }
  return T;
}

std::string DestinationNamer::elementType(QualType T) {
  T = T.getNonReferenceType();
  // Handles are pointers to opaque structs: their own name says more.
  for (QualType Sugar = T; const auto *Typedef = Sugar->getAs<TypedefType>();
       Sugar = Typedef->getDecl()->getUnderlyingType()) {
    StringRef Name = Typedef->getDecl()->getName();
    if (Name.starts_with("cuda") || Name.starts_with("CU"))
      return Name == "CUdeviceptr" ? "" : Name.str();
    if (isOpaqueHandle(Typedef->getDecl()->getUnderlyingType()))
      return Name.str();
  }
  const bool Elements = T->isArrayType();
  while (const ArrayType *Array = Context.getAsArrayType(T))
    T = Array->getElementType();
  if (const auto *Pointer = T->getAs<PointerType>())
    return typeName(withoutMemberName(Pointer->getPointeeType()), Context);
  if (Elements)
    return typeName(T, Context);
  return T->isArithmeticType() && !T->isCharType() ? "" : typeName(T, Context);
}

Destination DestinationNamer::behindAddress(const Expr *E) {
  const Expr *Address = bare(E);
  if (const Expr *Object = addressed(Address))
    return {path(Object), elementType(bare(Object)->getType())};
  QualType T = Address->getType();
  if (const ArrayType *Array = Context.getAsArrayType(T))
    return {object(Address) + "[0]", elementType(Array->getElementType())};
  if (const auto *Binary = dyn_cast<BinaryOperator>(Address);
      Binary && Binary->getOpcode() == BO_Add && Binary->getLHS()->getType()->isPointerType())
    return {object(Binary->getLHS()) + "[" + Text.spelled(Binary->getRHS()) + "]",
            elementType(T->getPointeeType())};
  if (T->isPointerType())
    return {"*" + operand(Address), elementType(T->getPointeeType())};
  return {path(Address), elementType(T)};
}

Destination DestinationNamer::ofPointer(const Expr *E) {
  const Expr *Pointer = bare(E);
  while (const auto *Binary = dyn_cast<BinaryOperator>(Pointer)) {
    if (!Binary->isAdditiveOp())
      break;
    const bool Left = Binary->getLHS()->getType()->isPointerType() ||
                      !Binary->getRHS()->getType()->isPointerType();
    Pointer = bare(Left ? Binary->getLHS() : Binary->getRHS());
  }
  if (isa<IntegerLiteral, CXXNullPtrLiteralExpr, GNUNullExpr>(Pointer))
    return {};
  if (const Expr *Object = addressed(Pointer)) {
    const Expr *Element = bare(Object);
    while (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Element))
      Element = bare(Subscript->getBase());
    return {path(Element), elementType(Element->getType())};
  }
  return {path(Pointer), elementType(Pointer->getType())};
}

/// A status, a count or a flag says nothing about the memory that the call made.
static bool holdsResource(QualType T) {
  T = T.getNonReferenceType();
  return !T->isArithmeticType() && !T->isEnumeralType();
}

Destination DestinationNamer::ofUse(const ValueUse &Use) {
  const QualType T = Use.Assigned   ? bare(Use.Assigned)->getType()
                     : Use.Declared ? Use.Declared->getType()
                                    : QualType();
  if (T.isNull() || !holdsResource(T))
    return {};
  if (Use.Assigned)
    return {path(Use.Assigned), elementType(bare(Use.Assigned)->getType())};
  if (!Use.Declared || !Use.Declared->getIdentifier())
    return {};
  std::string Name = Use.Declared->getIdentifier()->getName().str();
  const bool Member = isa<FieldDecl, IndirectFieldDecl>(Use.Declared);
  return {(Member ? "this->" : "") + Name, elementType(Use.Declared->getType())};
}

} // namespace gpuinstr
