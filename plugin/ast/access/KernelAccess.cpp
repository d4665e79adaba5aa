// What a kernel's visible code does through each pointer parameter.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"

#include "ast/access/AlikeCode.h"
#include "ast/access/KnownFunctions.h"
#include "ast/access/library/LibraryFunctions.h"
#include "ast/access/walker/AccessWalker.h"
#include "ast/conditions/CompilerFiles.h"
#include "ast/source/CodeOrigin.h"
#include "ast/source/DeviceCode.h"
#include "gpuinstr/abi.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned BudgetOfKernel = 200000; ///< expressions and statements, callees included
constexpr unsigned MaxDepth = 32;           ///< nested callees

bool holdsPointers(QualType T, unsigned Depth) {
  if (Depth > 16)
    return true;
  T = T.getCanonicalType();
  if (T->isAnyPointerType() || T->isReferenceType() || T->isMemberPointerType())
    return true;
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return holdsPointers(Array->getElementType(), Depth + 1);
  if (const auto *Atomic = dyn_cast<AtomicType>(T))
    return holdsPointers(Atomic->getValueType(), Depth + 1);
  const auto *Record = T->getAsRecordDecl();
  if (!Record)
    return false;
  Record = Record->getDefinition();
  if (!Record)
    return true;
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record))
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (holdsPointers(Base.getType(), Depth + 1))
        return true;
  for (const FieldDecl *Field : Record->fields())
    if (holdsPointers(Field->getType(), Depth + 1))
      return true;
  return false;
}

/// A number, or what holds some: an address can be made of it.
bool mayBeAddress(QualType T, const ASTContext &Context) {
  constexpr unsigned AddressBits = 64;
  return !T->isRealFloatingType() && !T->isIncompleteType() && !T->isDependentType() &&
         Context.getTypeSize(T) >= AddressBits;
}

/// Memory that its pointers lead to may hold pointers.
bool reachesPointers(QualType T, unsigned Depth = 0) {
  T = T.getCanonicalType();
  if (Depth > 16)
    return true;
  if (T->isPointerType() || T->isReferenceType())
    return mayHoldPointers(T->getPointeeType());
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return reachesPointers(Array->getElementType(), Depth + 1);
  const auto *Record = T->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record)
    return mayHoldPointers(T);
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record))
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (reachesPointers(Base.getType(), Depth + 1))
        return true;
  return llvm::any_of(Record->fields(), [&](const FieldDecl *Field) {
    return reachesPointers(Field->getType(), Depth + 1);
  });
}

/// No global variable is written, nor can be through an address that gets about.
bool keepsGlobals(const AccessSummary &Known) {
  for (uint8_t Access : Known.Access)
    if (Access & access::Unknown)
      return false;
  for (Roots Stored : Known.Stored)
    if (Stored & (Globals | BehindGlobals))
      return false;
  return !((Known.Access[2 * GlobalsIndex] | Known.Access[2 * GlobalsIndex + 1]) &
           (access::Write | access::Escape));
}

bool takesTheSame(const FunctionDecl &A, const FunctionDecl &B) {
  if (A.getNumParams() != B.getNumParams())
    return false;
  for (unsigned I = 0; I < A.getNumParams(); ++I) {
    const QualType Left = A.getParamDecl(I)->getType();
    if (!Left->isDependentType() &&
        !A.getASTContext().hasSameType(Left, B.getParamDecl(I)->getType()))
      return false;
  }
  return true;
}

/// The device runs another function than the one whose body the host's compile has: one that the
/// linker puts in place of a weak one, or the overload of its own side.
bool runsAnother(const FunctionDecl &F) {
  if (F.isWeak())
    return true;
  if (!F.getASTContext().getLangOpts().CUDA || F.hasAttr<CUDAGlobalAttr>() || isOfDeviceAlone(F))
    return false;
  if (!F.hasAttr<CUDADeviceAttr>())
    return true;
  for (const NamedDecl *Named : F.getDeclContext()->lookup(F.getDeclName())) {
    const auto *Other = dyn_cast<FunctionDecl>(Named->getUnderlyingDecl());
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(Named->getUnderlyingDecl()))
      Other = F.getPrimaryTemplate() ? Template->getTemplatedDecl() : nullptr;
    if (Other && isOfDeviceAlone(*Other) && takesTheSame(*Other, F))
      return true;
  }
  return false;
}

} // namespace

bool holdsUnalignedPointers(QualType T) {
  const auto *Record = T.getCanonicalType()->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || Record->isInvalidDecl() || Record->isDependentType())
    return false;
  constexpr unsigned Step = 32; // bits
  const ASTContext &Context = Record->getASTContext();
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
  auto Holds = [&](QualType Part, uint64_t Bits) {
    while (const auto *Array = Context.getAsConstantArrayType(Part)) {
      Part = Array->getElementType();
      Bits |= Context.getTypeSize(Part);
    }
    return (Bits % Step && mayHoldPointers(Part)) || holdsUnalignedPointers(Part);
  };
  for (const FieldDecl *Field : Record->fields())
    if (Holds(Field->getType(), Layout.getFieldOffset(Field->getFieldIndex())))
      return true;
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record))
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl();
          B && !Base.isVirtual() &&
          Holds(Base.getType(), Context.toBits(Layout.getBaseClassOffset(B))))
        return true;
  return false;
}

bool isOfDeviceAlone(const NamedDecl &D) {
  return D.hasAttr<CUDADeviceAttr>() && !D.hasAttr<CUDAHostAttr>();
}

bool hasFewRoots(const FunctionDecl &F) { return F.getNumParams() >= MaxRootedParameters; }

unsigned rootOf(const FunctionDecl &F, unsigned I) {
  if (!hasFewRoots(F))
    return I;
  unsigned Before = 0;
  for (unsigned Other = 0; Other < I && Other < F.getNumParams(); ++Other)
    Before += mayHoldPointers(F.getParamDecl(Other)->getType());
  const bool HasOne = I == F.getNumParams() || mayHoldPointers(F.getParamDecl(I)->getType());
  return HasOne ? Before : MaxRootedParameters;
}

bool mayHoldPointers(QualType T) { return T.isNull() || holdsPointers(T, 0); }

KernelAccess::KernelAccess(ASTContext &Context, CodeOrigin &Origins, DeviceCode *Code)
    : Context(Context), Origins(Origins), Code(Code), Ends(*this),
      Alike(Code ? std::make_unique<AlikeCode>(*Code, *this) : nullptr) {}
KernelAccess::~KernelAccess() = default;

KernelFacts KernelAccess::of(const FunctionDecl &Kernel) {
  KernelFacts Facts;
  Budget = BudgetOfKernel;
  Asked = visible(Kernel);
  Members = Asked ? MemberRoots(*Asked) : MemberRoots();
  const AccessSummary *Known = summary(Kernel);
  describe(Kernel, Known, Facts);
  if (Known && keepsGlobals(*Known))
    Facts.Flags |= GPUINSTR_KERNEL_KEEPS_GLOBALS;
  Budget = BudgetOfKernel;
  if (Ends.of(Kernel))
    Facts.Flags |= GPUINSTR_KERNEL_ENDS;
  return Facts;
}

/// Of what pointers of type T lead to, or those in it.
static uint8_t accessOf(const AccessSummary &Known, unsigned Root, QualType T) {
  uint8_t Access = Known.Access[2 * Root] & ~access::Anywhere;
  if (Known.Access[2 * GlobalsIndex] & access::Forged)
    Access |= GPUINSTR_ACCESS_UNKNOWN;
  // Code that is not seen may end the thread (PTX's `exit`).
  const bool IsSeen = !(Known.Access[2 * GlobalsIndex] & access::Unknown);
  if (Access & access::Write && !(Known.Access[2 * Root] & access::Anywhere) && IsSeen)
    Access |= GPUINSTR_ACCESS_REGULAR;
  // Memory behind a pointer in memory is none of the launch's arguments.
  if (Known.Access[2 * Root + 1] & ~access::Before)
    Access |= GPUINSTR_ACCESS_FOLLOW;
  for (Roots Stored : Known.Stored)
    if (Stored & (memoryOf(Root) | behind(Root)))
      Access |= GPUINSTR_ACCESS_ESCAPE;
  // Who finds it there may follow what it holds.
  if (Access & GPUINSTR_ACCESS_ESCAPE && reachesPointers(T))
    Access |= GPUINSTR_ACCESS_UNKNOWN;
  return Access;
}

/// Of both; memory decides where either is written.
static uint8_t joined(uint8_t A, uint8_t B) {
  const bool IsAnywhere = (A & access::Write && !(A & GPUINSTR_ACCESS_REGULAR)) ||
                          (B & access::Write && !(B & GPUINSTR_ACCESS_REGULAR));
  return uint8_t((A | B) & ~(IsAnywhere ? GPUINSTR_ACCESS_REGULAR : 0));
}

void KernelAccess::describe(const FunctionDecl &Kernel, const AccessSummary *Known,
                            KernelFacts &Facts) {
  for (unsigned I = 0; I < Kernel.getNumParams(); ++I) {
    const QualType T = Kernel.getParamDecl(I)->getType();
    if (!mayHoldPointers(T)) {
      const bool Forges = !Known || Known->Access[2 * GlobalsIndex] & access::Forged;
      Facts.Access.push_back(Forges && mayBeAddress(T, Context) ? GPUINSTR_ACCESS_UNKNOWN : 0);
      continue;
    }
    const unsigned Root = rootOf(Kernel, I);
    const bool IsKnown = Known && Root < MaxRootedParameters;
    Facts.Access.push_back(IsKnown ? accessOf(*Known, Root, T) : access::Unknown);
  }
  for (const MemberRoot &Member : Known ? Members.all() : llvm::ArrayRef<MemberRoot>()) {
    if (Member.Parameter >= Kernel.getNumParams())
      continue;
    const uint8_t Access = accessOf(*Known, Member.Root, Member.Type);
    uint8_t &OfAll = Facts.Access[Member.Parameter];
    OfAll = joined(OfAll, Access);
    // Under nvcc a closure may stand for what wraps it.
    if (Code->isLaidOutAlike(Kernel.getParamDecl(Member.Parameter)->getType(),
                             Asked->getParamDecl(Member.Parameter)->getType()))
      Facts.Members.push_back({Member.Parameter, Member.Offset, Access, false});
  }
  for (unsigned I = 0; I < Kernel.getNumParams(); ++I)
    describeNumbers(I, Kernel.getParamDecl(I)->getType(), Facts);
}

/// As a parameter of its own a number counts as an address that goes anywhere.
void KernelAccess::describeNumbers(unsigned I, QualType T, KernelFacts &Facts) {
  llvm::SmallVector<uint64_t, 8> Numbers;
  if (!mayHoldPointers(T))
    return;
  if (!numbersBesidePointers(T, Context, Numbers)) {
    Facts.Access[I] |= access::Unknown;
    return;
  }
  for (uint64_t Offset : Numbers)
    Facts.Members.push_back({I, Offset, access::Unknown, true});
  llvm::sort(Facts.Members, [](const KernelFacts::Member &A, const KernelFacts::Member &B) {
    return std::pair(A.Parameter, A.Offset) < std::pair(B.Parameter, B.Offset);
  });
}

const FunctionDecl *KernelAccess::visible(const FunctionDecl &F) {
  if (!Code)
    return nullptr;
  auto [Known, Fresh] = Visible.try_emplace(F.getCanonicalDecl(), nullptr);
  if (!Fresh)
    return Known->second;
  const FunctionDecl *Definition = Code->definition(F);
  if (!Definition || !Definition->getBody() || runsAnother(*Definition) ||
      !Alike->isAlike(*Definition))
    return nullptr;
  return Visible[F.getCanonicalDecl()] = Definition;
}

bool KernelAccess::isSystem(SourceLocation Loc) {
  const FunctionOrigin Origin = Origins.ofLocation(Loc);
  if (Origin != FunctionOrigin::System)
    return Origin != FunctionOrigin::User;
  const SourceManager &SM = Context.getSourceManager();
  const PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(Loc));
  return P.isInvalid() || isOfCompiler(P.getFilename());
}

bool AccessSummary::keeps(unsigned I) const {
  return Access[2 * I] & (access::Unknown | access::Escape) ||
         llvm::any_of(Stored, [&](Roots Of) { return Of & memoryOf(I); });
}

bool AccessSummary::keepsNoAddress(unsigned I) const {
  return I < MaxRootedParameters && !keeps(I) && !(Returned & memoryOf(I));
}

bool KernelAccess::makesKept(const FunctionDecl &F) {
  const auto *Constructor = dyn_cast<CXXConstructorDecl>(&F);
  if (isSystem(F.getLocation()) || (Constructor && Constructor->isTrivial()) ||
      (!Constructor && !F.getReturnType()->isRecordType()))
    return false;
  const AccessSummary *Known = hasFewRoots(F) ? nullptr : summary(F);
  return !Known || Known->MakesKept || (Constructor && Known->keeps(rootOf(F, F.getNumParams())));
}

bool KernelAccess::onlyReads(const FunctionDecl &F) {
  llvm::StringRef Name = systemFunctionName(F, *this);
  if (!Name.empty() && (isPureFunction(Name) || Name == "__ldg"))
    return true;
  const AccessSummary *Known = summary(F);
  return Known && llvm::all_of(Known->Access, [](uint8_t A) { return !(A & ~access::Read); });
}

const AccessSummary *KernelAccess::splitSummary(const FunctionDecl &F, uint32_t Which,
                                                const MemberRoots *&Members) {
  Members = nullptr;
  const FunctionDecl *Definition = Budget && Depth < MaxDepth ? visible(F) : nullptr;
  if (!Definition)
    return nullptr;
  const std::pair Key(Definition, Which);
  if (Splits.try_emplace(Key, nullptr).second) {
    llvm::SaveAndRestore Nested(Depth, Depth + 1);
    auto Result = std::make_unique<Split>();
    Result->Members = MemberRoots::ofObjects(*Definition, Which);
    if (!Result->Members.all().empty() &&
        AccessWalker(*this, *Definition, Result->Members).run(Result->Summary))
      Splits[Key] = std::move(Result);
  }
  const std::unique_ptr<Split> &Known = Splits[Key];
  if (!Known)
    return nullptr;
  Members = &Known->Members;
  return &Known->Summary;
}

const AccessSummary *KernelAccess::library(const FunctionDecl &F) {
  auto [Known, Fresh] = Libraries.try_emplace(F.getCanonicalDecl(), nullptr);
  if (Fresh)
    if (const std::optional<AccessSummary> Summary = libraryFunction(F, *this))
      Known->second = std::make_unique<AccessSummary>(*Summary);
  return Known->second.get();
}

const AccessSummary *KernelAccess::summary(const FunctionDecl &F) {
  if (!Budget)
    return nullptr;
  if (const AccessSummary *Known = library(F))
    return Known;
  const FunctionDecl *Definition = visible(F);
  if (!Definition)
    return nullptr;
  auto Known = Summaries.find(Definition);
  if (Known != Summaries.end())
    return Known->second.get();
  if (Depth >= MaxDepth)
    return nullptr;
  Summaries[Definition] = nullptr;
  llvm::SaveAndRestore Nested(Depth, Depth + 1);
  auto Result = std::make_unique<AccessSummary>();
  static const MemberRoots None;
  constexpr unsigned MaxWalks = 3;
  for (unsigned I = 0; I < MaxWalks; ++I) {
    AccessWalker Walker(*this, *Definition, Definition == Asked ? Members : None);
    if (!Walker.run(*Result))
      return nullptr;
    if (!Walker.hasNewInstances())
      break;
  }
  return (Summaries[Definition] = std::move(Result)).get();
}

} // namespace gpuinstr
