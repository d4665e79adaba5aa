// Classes of CUDA's headers whose functions are known by name.
// SPDX-License-Identifier: Apache-2.0
//
// Their bodies are assembly, other ones on the host, or not there. Names of CUDA 12 and 13.
#include "ast/access/library/LibraryClasses.h"

#include "ast/access/AccessSummary.h"
#include "ast/access/KernelAccess.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

constexpr llvm::StringLiteral ComplexFunctions[] = {
    "abs",  "acos", "acosh", "arg",  "asin", "asinh", "atan", "atanh", "conj",
    "cos",  "cosh", "exp",   "imag", "log",  "log10", "norm", "polar", "pow",
    "proj", "real", "sin",   "sinh", "sqrt", "tan",   "tanh"};

constexpr llvm::StringLiteral AtomicClasses[] = {"atomic", "__atomic_common", "__atomic_arithmetic",
                                                 "__atomic_bitwise"};
constexpr llvm::StringLiteral AtomicRefClasses[] = {
    "atomic_ref", "__atomic_ref_common", "__atomic_ref_arithmetic", "__atomic_ref_bitwise"};
/// Not wait().
constexpr llvm::StringLiteral AtomicFunctions[] = {"load",
                                                   "store",
                                                   "exchange",
                                                   "compare_exchange_weak",
                                                   "compare_exchange_strong",
                                                   "fetch_add",
                                                   "fetch_sub",
                                                   "fetch_and",
                                                   "fetch_or",
                                                   "fetch_xor",
                                                   "fetch_max",
                                                   "fetch_min",
                                                   "is_lock_free",
                                                   "notify_one",
                                                   "notify_all"};

constexpr llvm::StringLiteral GridClasses[] = {"grid_group", "cluster_group"};
constexpr llvm::StringLiteral GridSizes[] = {"size", "num_threads", "num_blocks"};
constexpr llvm::StringLiteral GridPlaces[] = {"thread_rank", "block_rank"};
constexpr llvm::StringLiteral GridShapes[] = {
    "is_valid",    "block_index",  "thread_index", "group_dim",     "dim_blocks",
    "dim_threads", "dim_clusters", "num_clusters", "cluster_index", "cluster_rank"};

/// The outermost namespace; in cuda whether it is cuda::std.
StringRef outermost(const Decl &D, bool *IsStd = nullptr) {
  const NamespaceDecl *Outer = nullptr, *Second = nullptr;
  for (const DeclContext *C = D.getDeclContext(); C; C = C->getParent())
    if (const auto *Named = dyn_cast<NamespaceDecl>(C); Named && Named->getIdentifier()) {
      Second = Outer;
      Outer = Named;
    }
  if (IsStd)
    *IsStd = Second && Second->getName() == "std";
  return Outer ? Outer->getName() : "";
}

/// The first argument of a template's specialisation.
QualType firstArgument(const CXXRecordDecl &Class) {
  const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&Class);
  if (!Special || !Special->getTemplateArgs().size())
    return {};
  const TemplateArgument &First = Special->getTemplateArgs()[0];
  return First.getKind() == TemplateArgument::Type ? First.getAsType() : QualType();
}

bool isComplex(const CXXRecordDecl &Class, KernelAccess &Whole) {
  bool IsStd = false;
  const StringRef Outer = outermost(Class, &IsStd);
  const QualType Of = firstArgument(Class);
  return Class.getIdentifier() && Class.getName() == "complex" &&
         (Outer == "thrust" || (Outer == "cuda" && IsStd)) && !Of.isNull() &&
         Of->isRealFloatingType() && Whole.isSystem(Class.getLocation());
}

bool isComplex(QualType T, KernelAccess &Whole) {
  const CXXRecordDecl *Class = T.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && isComplex(*Class, Whole);
}

/// A number, by value or to be read.
bool isNumber(QualType T, KernelAccess &Whole) {
  if (T->isLValueReferenceType() && !T->getPointeeType().isConstQualified())
    return false;
  T = T.getNonReferenceType();
  return T->isArithmeticType() || T->isVoidType() || isComplex(T, Whole);
}

bool isComplexFunction(const FunctionDecl &F, const CXXMethodDecl *Method, KernelAccess &Whole) {
  const auto IsPlain = [&](const ParmVarDecl *P) { return isNumber(P->getType(), Whole); };
  if (!llvm::all_of(F.parameters(), IsPlain))
    return false;
  if (Method)
    return isComplex(*Method->getParent(), Whole) && !Method->isStatic() &&
           !isa<CXXDestructorDecl>(Method);
  const auto IsOne = [&](const ParmVarDecl *P) { return isComplex(P->getType(), Whole); };
  bool IsStd = false;
  const StringRef Outer = outermost(F, &IsStd);
  return (Outer == "thrust" || (Outer == "cuda" && IsStd)) &&
         (F.isOverloadedOperator() ||
          (F.getIdentifier() && llvm::is_contained(ComplexFunctions, F.getName()))) &&
         !F.getReturnType()->isReferenceType() && isNumber(F.getReturnType(), Whole) &&
         (llvm::any_of(F.parameters(), IsOne) || isComplex(F.getReturnType(), Whole));
}

LibraryEffect atomicEffect(const FunctionDecl &F, const CXXMethodDecl &Method) {
  const CXXRecordDecl &Class = *Method.getParent();
  const QualType Of = firstArgument(Class);
  if (outermost(Class) != "cuda" || !Class.getIdentifier() || Of.isNull() ||
      !(Of->isArithmeticType() || Of->isEnumeralType()))
    return LibraryEffect::None;
  const bool IsRef = llvm::is_contained(AtomicRefClasses, Class.getName());
  if (!IsRef && !llvm::is_contained(AtomicClasses, Class.getName()))
    return LibraryEffect::None;
  if (isa<CXXConstructorDecl>(F)) {
    const bool IsOfObject = F.getNumParams() == 1 && IsRef &&
                            F.getParamDecl(0)->getType()->isLValueReferenceType() &&
                            !F.getParamDecl(0)->getType()->getPointeeType()->isRecordType();
    return IsOfObject ? LibraryEffect::Refer : LibraryEffect::None;
  }
  const bool IsKnown = F.isOverloadedOperator() || isa<CXXConversionDecl>(F) ||
                       (F.getIdentifier() && llvm::is_contained(AtomicFunctions, F.getName()));
  if (!IsKnown || Method.isStatic() || F.getReturnType()->isReferenceType() ||
      mayHoldPointers(F.getReturnType()))
    return LibraryEffect::None;
  return IsRef ? LibraryEffect::AtomicRef : LibraryEffect::Atomic;
}

bool isGrid(const CXXRecordDecl &Class) {
  return Class.getIdentifier() && outermost(Class) == "cooperative_groups" &&
         llvm::is_contained(GridClasses, Class.getName());
}

bool isGrid(QualType T) {
  const CXXRecordDecl *Class = T.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && isGrid(*Class);
}

LibraryEffect gridEffect(const FunctionDecl &F, const CXXMethodDecl *Method) {
  const StringRef Name = F.getIdentifier() ? F.getName() : "";
  if (!Method && F.param_empty() && isGrid(F.getReturnType()) && Name.starts_with("this_"))
    return LibraryEffect::Shape;
  const bool IsOfGrid =
      (Method && isGrid(*Method->getParent())) ||
      llvm::any_of(F.parameters(), [](const ParmVarDecl *P) { return isGrid(P->getType()); });
  if (!IsOfGrid)
    return LibraryEffect::None;
  if (F.getNumParams() != (Method ? 0 : 1) || mayHoldPointers(F.getReturnType()))
    return LibraryEffect::Unseen;
  if (Name == "sync" || Name == "barrier_arrive")
    return LibraryEffect::GridWait;
  return llvm::is_contained(GridSizes, Name) || llvm::is_contained(GridPlaces, Name) ||
                 llvm::is_contained(GridShapes, Name)
             ? LibraryEffect::Shape
             : LibraryEffect::Unseen;
}

} // namespace

LibraryEffect libraryEffect(const FunctionDecl &F, KernelAccess &Whole) {
  const StringRef Outer = outermost(F);
  if ((Outer != "cuda" && Outer != "thrust" && Outer != "cooperative_groups") ||
      !Whole.isSystem(F.getLocation()))
    return LibraryEffect::None;
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (Outer == "cooperative_groups")
    return gridEffect(F, Method);
  if (isComplexFunction(F, Method, Whole))
    return LibraryEffect::Value;
  return Method ? atomicEffect(F, *Method) : LibraryEffect::None;
}

bool isLibraryArray(QualType T, KernelAccess &Whole) {
  const CXXRecordDecl *Class = T.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || !Class->getIdentifier() || Class->getName() != "array" ||
      !isa<ClassTemplateSpecializationDecl>(Class) || !Whole.isSystem(Class->getLocation()))
    return false;
  bool IsStd = false;
  const StringRef Outer = outermost(*Class, &IsStd);
  return Outer == "std" || (Outer == "cuda" && IsStd);
}

bool isGridSize(const FunctionDecl &F, KernelAccess &Whole) {
  return libraryEffect(F, Whole) == LibraryEffect::Shape && isa<CXXMethodDecl>(F) &&
         llvm::is_contained(GridSizes, F.getName());
}

bool isGridShape(const FunctionDecl &F, KernelAccess &Whole) {
  return isGridSize(F, Whole) ||
         (libraryEffect(F, Whole) == LibraryEffect::Shape && isa<CXXMethodDecl>(F) &&
          llvm::is_contained(GridPlaces, F.getName()));
}

} // namespace gpuinstr
