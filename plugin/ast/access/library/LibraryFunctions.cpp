// CUDA's device libraries whose bodies are assembly or depend on the architecture: what their
// functions do with what they get.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/library/LibraryFunctions.h"

#include "ast/access/KernelAccess.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
using namespace access;

namespace {

constexpr llvm::StringLiteral NarrowClasses[] = {"__half", "__nv_bfloat16", "__nv_fp8", "__nv_fp6",
                                                 "__nv_fp4"};

constexpr llvm::StringLiteral FragmentFunctions[] = {"fill_fragment", "load_matrix_sync",
                                                     "store_matrix_sync", "mma_sync", "bmma_sync"};

/// The names of a declaration's namespaces, the outermost first, but inline ones.
std::string namespacesOf(const Decl &D) {
  std::string Names;
  for (const DeclContext *C = D.getDeclContext(); C; C = C->getParent())
    if (const auto *Named = dyn_cast<NamespaceDecl>(C);
        Named && Named->getIdentifier() && !Named->isInline())
      Names = Named->getName().str() + (Names.empty() ? "" : "::") + Names;
  return Names;
}

bool isDeclaredBySystem(const FunctionDecl &F, KernelAccess &Whole) {
  return llvm::all_of(F.redecls(),
                      [&](const FunctionDecl *D) { return Whole.isSystem(D->getLocation()); });
}

const CXXRecordDecl *recordOf(QualType T) {
  return T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
}

bool isNarrow(const CXXRecordDecl *Record, KernelAccess &Whole) {
  return Record && Record->getIdentifier() &&
         Record->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         llvm::any_of(NarrowClasses,
                      [&](StringRef Begin) { return Record->getName().starts_with(Begin); }) &&
         Whole.isSystem(Record->getLocation());
}

const CXXRecordDecl *classOf(const FunctionDecl &F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  return Method ? Method->getParent() : nullptr;
}

bool isNarrowFunction(const FunctionDecl &F, KernelAccess &Whole) {
  if (const CXXRecordDecl *Class = classOf(F))
    return isNarrow(Class, Whole);
  if (!F.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
      !F.getDeclContext()->getRedeclContext()->isExternCContext())
    return false;
  return isNarrow(recordOf(F.getReturnType()), Whole) ||
         llvm::any_of(F.parameters(), [&](const ParmVarDecl *P) {
           return isNarrow(recordOf(P->getType()), Whole);
         });
}

/// cub::KeyValuePair<int, float>
bool isPairOfNumbers(const CXXRecordDecl *Class, KernelAccess &Whole) {
  return Class && Class->getIdentifier() && Class->getName() == "KeyValuePair" &&
         StringRef(namespacesOf(*Class)).starts_with("cub") && Class->hasDefinition() &&
         Whole.isSystem(Class->getLocation()) &&
         llvm::all_of(Class->fields(),
                      [](const FieldDecl *Field) { return Field->getType()->isArithmeticType(); });
}

/// Numbers by value, or references to such: what is const is read, the rest is read and written.
std::optional<AccessSummary> ofNumbers(const FunctionDecl &F) {
  AccessSummary Known;
  auto IsNumber = [](QualType T) { return !mayHoldPointers(T.getNonReferenceType()); };
  if (!IsNumber(F.getReturnType()) || F.getNumParams() + 1 > MaxRootedParameters)
    return std::nullopt;
  for (unsigned I = 0; I < F.getNumParams(); ++I) {
    const QualType T = F.getParamDecl(I)->getType();
    if (!IsNumber(T))
      return std::nullopt;
    if (T->isReferenceType())
      Known.Access[2 * I] = T.getNonReferenceType().isConstQualified() ? Read : Read | Write;
  }
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  const bool HasObject = Method && Method->isImplicitObjectMemberFunction();
  const unsigned Object = HasObject ? F.getNumParams() : 0;
  if (HasObject)
    Known.Access[2 * Object] =
        Method->isConst() ? Read
        : isa<CXXConstructorDecl>(Method) || Method->getOverloadedOperator() == OO_Equal
            ? Write
            : Read | Write;
  if (F.getReturnType()->isReferenceType()) // `a = b`, `a += b`
    Known.Returned = memoryOf(Object);
  return Known;
}

/// What comes by reference is read, and may be what it gives back.
AccessSummary ofValues(const FunctionDecl &F) {
  AccessSummary Known;
  for (unsigned I = 0; I < F.getNumParams() && I < MaxRootedParameters; ++I)
    if (F.getParamDecl(I)->getType()->isReferenceType()) {
      Known.Access[2 * I] = Read;
      if (F.getReturnType()->isReferenceType())
        Known.Returned |= memoryOf(I);
    }
  return Known;
}

/// A state, which it reads and changes, and numbers; of Sobol's, the directions to begin with. The
/// states of mtgp32 hold pointers.
std::optional<AccessSummary> ofRandomNumbers(const FunctionDecl &F) {
  AccessSummary Known;
  for (unsigned I = 0; I < F.getNumParams(); ++I) {
    const QualType T = F.getParamDecl(I)->getType();
    if (!mayHoldPointers(T))
      continue;
    const QualType To = T->isPointerType() ? T->getPointeeType() : QualType();
    if (To.isNull() || To->isVoidType() || mayHoldPointers(To))
      return std::nullopt;
    const CXXRecordDecl *State = recordOf(To);
    if (State && State->getName().starts_with("curandState"))
      Known.Access[2 * I] = Read | Write | Anywhere;
    else if (F.getName() == "curand_init" && To->isIntegerType())
      Known.Access[2 * I] = Read;
    else
      return std::nullopt;
  }
  if (mayHoldPointers(F.getReturnType()))
    return std::nullopt;
  return Known;
}

/// Elements behind a pointer, fragments by reference, numbers.
std::optional<AccessSummary> ofFragments(const FunctionDecl &F) {
  AccessSummary Known;
  for (unsigned I = 0; I < F.getNumParams(); ++I) {
    const QualType T = F.getParamDecl(I)->getType();
    if (!mayHoldPointers(T))
      continue;
    const QualType To = T->getPointeeType();
    if (To.isNull() || mayHoldPointers(To))
      return std::nullopt;
    Known.Access[2 * I] = To.isConstQualified() ? Read : Read | Write;
  }
  if (F.getName() == "store_matrix_sync")
    Known.Access[0] = Write;
  return Known;
}

/// Its threads are of one block.
bool isGroupOfBlock(const FunctionDecl &F) {
  const CXXRecordDecl *Group = F.getNumParams() ? recordOf(F.getParamDecl(0)->getType()) : nullptr;
  return Group && Group->getIdentifier() &&
         (Group->getName().starts_with("thread_block") || Group->getName() == "coalesced_group");
}

/// A group, of which it wants to know who it is, and sizes; the first pointer is written, the
/// second is read.
std::optional<AccessSummary> ofAsyncCopy(const FunctionDecl &F, bool IsCopy) {
  AccessSummary Known;
  if (!isGroupOfBlock(F))
    return std::nullopt;
  unsigned Pointers = 0;
  for (unsigned I = 0; I < F.getNumParams(); ++I) {
    const QualType T = F.getParamDecl(I)->getType();
    if (!T->isPointerType()) {
      if (I && mayHoldPointers(T.getNonReferenceType()))
        return std::nullopt;
      Known.Access[2 * I] = T->isReferenceType() ? Read : 0;
      continue;
    }
    if (!T->getPointeeType()->isVoidType() && mayHoldPointers(T->getPointeeType()))
      return std::nullopt;
    Known.Punned |= memoryOf(I); // by `void *` it may be anything
    Known.Exposed |= Pointers ? memoryOf(I) : 0;
    Known.Access[2 * I] = Pointers++ ? Read : Write;
  }
  if (Pointers != (IsCopy ? 2 : 0))
    return std::nullopt;
  return Known;
}

} // namespace

bool computesNumber(const FunctionDecl &F, KernelAccess &Whole) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  const bool IsOperator = Method && Method->getOverloadedOperator() == OO_Call &&
                          !Method->isVirtual() && Method->getParent()->isEmpty();
  if (!F.isConstexpr() || F.isVariadic() || (Method && !Method->isStatic() && !IsOperator))
    return false;
  const std::string Namespaces = namespacesOf(F);
  const StringRef Outer = StringRef(Namespaces).split("::").first;
  if (Outer != "std" && Outer != "cuda" && Outer != "thrust" && Outer != "cub")
    return false;
  auto IsNumber = [](QualType T) { // of a builtin type: no operator of the program's runs
    if (T->isLValueReferenceType() && T->getPointeeType().isConstQualified())
      T = T->getPointeeType();
    return T->isArithmeticType() && !T.isVolatileQualified();
  };
  auto IsPlain = [&](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Type ? IsNumber(A.getAsType())
                                                 : A.getKind() == TemplateArgument::Integral;
  };
  const TemplateArgumentList *Arguments = F.getTemplateSpecializationArgs();
  return IsNumber(F.getReturnType()) &&
         llvm::all_of(F.parameters(),
                      [&](const ParmVarDecl *P) { return IsNumber(P->getType()); }) &&
         (!Arguments || llvm::all_of(Arguments->asArray(), IsPlain)) &&
         isDeclaredBySystem(F, Whole);
}

std::optional<AccessSummary> libraryFunction(const FunctionDecl &F, KernelAccess &Whole) {
  if (F.isVariadic() || !isDeclaredBySystem(F, Whole))
    return std::nullopt;
  if (computesNumber(F, Whole))
    return ofValues(F);
  if (isNarrowFunction(F, Whole))
    return ofNumbers(F);
  if (isPairOfNumbers(classOf(F), Whole))
    return ofNumbers(F);
  if (classOf(F) || !F.getIdentifier())
    return std::nullopt;
  const StringRef Name = F.getName();
  const std::string Namespaces = namespacesOf(F);
  if (Namespaces == "nvcuda::wmma" || Namespaces == "nvcuda::wmma::experimental")
    return llvm::is_contained(FragmentFunctions, Name) ? ofFragments(F) : std::nullopt;
  if (Namespaces == "cooperative_groups" || Namespaces == "cooperative_groups::__v1")
    return Name == "memcpy_async" || Name == "wait" || Name == "wait_prior"
               ? ofAsyncCopy(F, Name == "memcpy_async")
               : std::nullopt;
  if (!Namespaces.empty())
    return std::nullopt;
  if (Name == "curand" || Name.starts_with("curand_") || Name.starts_with("curand4"))
    return ofRandomNumbers(F);
  return std::nullopt;
}

bool isNarrowAssignment(const CXXMethodDecl &Method, KernelAccess &Whole) {
  return Method.getOverloadedOperator() == OO_Equal && Method.getNumParams() == 1 &&
         isNarrow(Method.getParent(), Whole) && isDeclaredBySystem(Method, Whole);
}

} // namespace gpuinstr
