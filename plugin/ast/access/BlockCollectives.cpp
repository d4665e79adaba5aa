// Cooperative groups of a block and below, CUB's collectives of a block or a warp.
// SPDX-License-Identifier: Apache-2.0
//
// Known by name, as the bodies of CUDA's headers are full of assembly and of conditionals on the
// architecture. Names of CUDA 12 and 13.
#include "ast/access/BlockCollectives.h"

#include "ast/access/AccessSummary.h"
#include "ast/access/KernelAccess.h"
#include "ast/access/library/LibraryClasses.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// Of namespace cooperative_groups: groups within a block with what they derive from, operations.
constexpr llvm::StringLiteral GroupClasses[] = {"thread_block",
                                                "thread_block_tile",
                                                "thread_block_tile_impl",
                                                "internal_thread_block_tile",
                                                "__single_warp_thread_block_tile",
                                                "__multi_warp_thread_block_tile",
                                                "__static_size_tile_base",
                                                "__static_size_thread_block_tile_base",
                                                "__static_parent_thread_block_tile_base",
                                                "__static_size_multi_warp_tile_base",
                                                "coalesced_group",
                                                "block_tile_memory",
                                                "plus",
                                                "less",
                                                "greater",
                                                "bit_and",
                                                "bit_or",
                                                "bit_xor"};

constexpr llvm::StringLiteral GroupFunctions[] = {
    "this_thread_block", "coalesced_threads", "tiled_partition",
    "labeled_partition", "binary_partition",  "reduce",
    "inclusive_scan",    "exclusive_scan",    "sync",
    "thread_rank",       "group_size"};

constexpr llvm::StringLiteral Sizes[] = {"size", "num_threads", "meta_group_size"};
constexpr llvm::StringLiteral Places[] = {"thread_rank", "meta_group_rank"};

enum class Library { None, Groups, Cub };

Library libraryOf(const Decl &D) {
  const NamespaceDecl *Outer = nullptr;
  for (const DeclContext *C = D.getDeclContext(); C; C = C->getParent())
    if (const auto *Named = dyn_cast<NamespaceDecl>(C); Named && Named->getIdentifier())
      Outer = Named;
  if (!Outer)
    return Library::None;
  return Outer->getName() == "cooperative_groups" ? Library::Groups
         : Outer->getName() == "cub"              ? Library::Cub
                                                  : Library::None;
}

bool isListed(const CXXRecordDecl &Class) {
  if (!Class.getIdentifier())
    return false;
  switch (libraryOf(Class)) {
  case Library::Groups:
    return llvm::is_contained(GroupClasses, Class.getName());
  case Library::Cub:
    return Class.getName().starts_with("Block") || Class.getName().starts_with("Warp");
  case Library::None:
    break;
  }
  return false;
}

/// What the groups' own functions call: `details::grid::sync(barrier)`.
bool isOfDetails(const FunctionDecl &F) {
  for (const DeclContext *C = F.getDeclContext(); C; C = C->getParent())
    if (const auto *Named = dyn_cast<NamespaceDecl>(C);
        Named && Named->getIdentifier() && Named->getName() == "details")
      return true;
  return false;
}

QualType withoutPointers(QualType T) {
  for (T = T.getNonReferenceType(); T->isAnyPointerType() || T->isArrayType();)
    T = T->isArrayType() ? QualType(T->getBaseElementTypeUnsafe(), 0) : T->getPointeeType();
  return T.getCanonicalType();
}

/// `cub::BlockLoad<...>(temp).Load(p, items)`, `cub::LoadDirectBlocked(thread, p, items)`.
uint8_t transferOf(const FunctionDecl &F) {
  if (!F.getIdentifier() || libraryOf(F) != Library::Cub)
    return 0;
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  const StringRef Name = F.getName();
  if (!Method)
    return Name.starts_with("LoadDirect") || Name == "ThreadLoad"     ? access::Read
           : Name.starts_with("StoreDirect") || Name == "ThreadStore" ? access::Write
                                                                      : 0;
  const StringRef Class =
      Method->getParent()->getIdentifier() ? Method->getParent()->getName() : "";
  return Name == "Load" && (Class == "BlockLoad" || Class == "WarpLoad")      ? access::Read
         : Name == "Store" && (Class == "BlockStore" || Class == "WarpStore") ? access::Write
                                                                              : 0;
}

bool isHarmless(const TemplateArgument &A, KernelAccess &Whole);

/// It makes a number of what it gets, and ends: `[](float a, float b) { return a > b ? a : b; }`.
bool onlyComputes(const FunctionDecl &F, KernelAccess &Whole) {
  const AccessSummary *Known = Whole.summary(F);
  if (!Known || Known->Punned || Known->Retyped || mayHoldPointers(F.getReturnType()))
    return false;
  const auto IsRead = [](uint8_t Access) { return !(Access & ~access::Read); };
  const auto IsNone = [](auto Bits) { return Bits == 0; };
  return llvm::all_of(Known->Access, IsRead) && llvm::all_of(Known->Stored, IsNone) &&
         !Known->Access[2 * GlobalsIndex] && !Known->Access[2 * GlobalsIndex + 1] &&
         Whole.surelyEnds(F);
}

/// Code of the program may run to make one of it.
bool isOfProgram(QualType T, KernelAccess &Whole) {
  const CXXRecordDecl *Class = withoutPointers(T)->getAsCXXRecordDecl();
  return Class && !Whole.isSystem(Class->getLocation());
}

/// A class of the program, a lambda's maybe, that is copied byte by byte, has nothing but numbers,
/// and computes when it is called.
bool isOperator(const CXXRecordDecl &Class, KernelAccess &Whole) {
  const CXXRecordDecl *Definition = Class.getDefinition();
  if (!Definition || Definition->isDependentType() || Definition->getNumBases() ||
      !Definition->isTriviallyCopyable() || !Whole.step())
    return false;
  bool Calls = false;
  for (const Decl *D : Definition->decls()) {
    const auto *Field = dyn_cast<FieldDecl>(D);
    if ((Field && mayHoldPointers(Field->getType())) || isa<FunctionTemplateDecl>(D))
      return false;
    const auto *Method = dyn_cast<CXXMethodDecl>(D);
    if (isa<CXXConversionDecl>(D) && !Definition->isLambda())
      return false;
    if (!Method || Method->getOverloadedOperator() != OO_Call)
      continue;
    Calls = true;
    if (Method->isVirtual() || isOfProgram(Method->getReturnType(), Whole) ||
        llvm::any_of(Method->parameters(),
                     [&](const ParmVarDecl *P) { return isOfProgram(P->getType(), Whole); }) ||
        !onlyComputes(*Method, Whole))
      return false;
  }
  return Calls;
}

bool areHarmless(llvm::ArrayRef<TemplateArgument> Arguments, KernelAccess &Whole) {
  return llvm::all_of(Arguments, [&](const TemplateArgument &A) { return isHarmless(A, Whole); });
}

/// Not a class of the program, whose operators would run, nor one made of such; not a group that
/// may span blocks.
bool isHarmless(QualType T, KernelAccess &Whole) {
  T = withoutPointers(T);
  if (T->isFunctionType() || T->isMemberPointerType())
    return false;
  const CXXRecordDecl *Class = T->getAsCXXRecordDecl();
  if (!Class)
    return true;
  const bool IsOfGroups = libraryOf(*Class) == Library::Groups;
  if (!isListed(*Class) &&
      (IsOfGroups || Class->isLambda() || !Whole.isSystem(Class->getLocation())))
    return false;
  for (const DeclContext *C = Class; C; C = C->getParent())
    if (const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(C);
        Special && !areHarmless(Special->getTemplateArgs().asArray(), Whole))
      return false;
  return true;
}

bool isHarmless(const TemplateArgument &A, KernelAccess &Whole) {
  switch (A.getKind()) {
  case TemplateArgument::Type:
    return isHarmless(A.getAsType(), Whole);
  case TemplateArgument::Pack:
    return areHarmless(A.pack_elements(), Whole);
  case TemplateArgument::Declaration:
    return !isa<FunctionDecl>(A.getAsDecl());
  default:
    return true;
  }
}

/// Waits for asynchronous copies, or for half of a barrier.
bool waits(StringRef Name) {
  return Name.starts_with("barrier_") || Name.starts_with("arrive") || Name.starts_with("wait");
}

bool isMethodOfGroup(const FunctionDecl &F, KernelAccess &Whole) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  return Method && F.getIdentifier() && F.param_empty() && libraryOf(F) == Library::Groups &&
         isListed(*Method->getParent()) && Whole.isSystem(F.getLocation());
}

} // namespace

bool collectiveOnlyReads(const ParmVarDecl &P, const FunctionDecl &F) {
  return P.getType()->isReferenceType() &&
         (libraryOf(F) == Library::Groups || P.getType()->getPointeeType().isConstQualified());
}

uint8_t collectiveAccess(const ParmVarDecl &P, const FunctionDecl &F) {
  const auto *First = llvm::find_if(
      F.parameters(), [](const ParmVarDecl *Other) { return Other->getType()->isPointerType(); });
  const bool IsTransfer = First != F.param_end() && *First == &P &&
                          !mayHoldPointers(P.getType()->getPointeeType()) &&
                          !P.getType()->getPointeeType()->isVoidType();
  return IsTransfer ? transferOf(F) : 0;
}

bool isScratch(const ParmVarDecl &P) {
  const CXXRecordDecl *Class = P.getType().getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->getIdentifier() && Class->getName() == "block_tile_memory" &&
         libraryOf(*Class) == Library::Groups;
}

bool isGroupSize(const FunctionDecl &F, KernelAccess &Whole) {
  return (isMethodOfGroup(F, Whole) && llvm::is_contained(Sizes, F.getName())) ||
         isGridSize(F, Whole);
}

bool isGroupShape(const FunctionDecl &F, KernelAccess &Whole) {
  const CXXRecordDecl *Class =
      isMethodOfGroup(F, Whole) ? cast<CXXMethodDecl>(F).getParent() : nullptr;
  if (Class && Class->getName() == "coalesced_group")
    return false;
  return isGroupSize(F, Whole) || (Class && llvm::is_contained(Places, F.getName())) ||
         isGridShape(F, Whole);
}

bool isBlockCollective(const FunctionDecl &F, KernelAccess &Whole) {
  const Library Of = libraryOf(F);
  if (Of == Library::None || !Whole.isSystem(F.getLocation()))
    return false;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&F)) {
    const CXXRecordDecl *Class = Method->getParent();
    const auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(Class);
    if (!isListed(*Class) || (F.getIdentifier() && waits(F.getName())) ||
        (Special && !areHarmless(Special->getTemplateArgs().asArray(), Whole)))
      return false;
  } else if (!F.getIdentifier() || isOfDetails(F) ||
             !(Of == Library::Groups ? llvm::is_contained(GroupFunctions, F.getName())
                                     : transferOf(F) != 0)) {
    return false;
  }
  // `Reduce(v, op)`: of numbers, as the class's own arguments are harmless.
  const bool TakesOperators = Of == Library::Cub && isa<CXXMethodDecl>(F);
  auto IsHarmless = [&](QualType T) {
    const CXXRecordDecl *Class = TakesOperators ? T->getAsCXXRecordDecl() : nullptr;
    return isHarmless(T, Whole) || (Class && isOperator(*Class, Whole));
  };
  auto IsHarmlessArgument = [&](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Type ? IsHarmless(A.getAsType()) : isHarmless(A, Whole);
  };
  const TemplateArgumentList *Arguments = F.getTemplateSpecializationArgs();
  return (!Arguments || llvm::all_of(Arguments->asArray(), IsHarmlessArgument)) &&
         llvm::all_of(F.parameters(),
                      [&](const ParmVarDecl *P) { return IsHarmless(P->getType()); });
}

} // namespace gpuinstr
