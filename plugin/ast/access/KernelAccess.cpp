// What a kernel's visible code does through each pointer parameter.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"

#include "ast/access/AccessWalker.h"
#include "ast/access/AlikeCode.h"
#include "ast/access/KnownFunctions.h"
#include "ast/source/CodeOrigin.h"
#include "ast/source/DeviceCode.h"
#include "gpuinstr/abi.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
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

} // namespace

bool mayHoldPointers(QualType T) { return T.isNull() || holdsPointers(T, 0); }

KernelAccess::KernelAccess(ASTContext &Context, CodeOrigin &Origins, DeviceCode *Code)
    : Context(Context), Origins(Origins), Code(Code), Ends(*this),
      Alike(Code ? std::make_unique<AlikeCode>(*Code, *this) : nullptr) {}
KernelAccess::~KernelAccess() = default;

KernelFacts KernelAccess::of(const FunctionDecl &Kernel) {
  KernelFacts Facts;
  Budget = BudgetOfKernel;
  const AccessSummary *Known = summary(Kernel);
  Facts.Access = parameters(Kernel, Known);
  if (Known && keepsGlobals(*Known))
    Facts.Flags |= GPUINSTR_KERNEL_KEEPS_GLOBALS;
  Budget = BudgetOfKernel;
  if (Ends.of(Kernel))
    Facts.Flags |= GPUINSTR_KERNEL_ENDS;
  return Facts;
}

std::vector<uint8_t> KernelAccess::parameters(const FunctionDecl &Kernel,
                                              const AccessSummary *Known) {
  std::vector<uint8_t> Out;
  for (unsigned I = 0; I < Kernel.getNumParams(); ++I) {
    if (!mayHoldPointers(Kernel.getParamDecl(I)->getType())) {
      Out.push_back(0);
      continue;
    }
    if (!Known || I >= MaxRootedParameters) {
      Out.push_back(GPUINSTR_ACCESS_UNKNOWN);
      continue;
    }
    uint8_t Access = Known->Access[2 * I] & ~access::Anywhere;
    if (Access & access::Write && !(Known->Access[2 * I] & access::Anywhere))
      Access |= GPUINSTR_ACCESS_REGULAR;
    // Memory behind a pointer in memory is none of the launch's arguments.
    if (Known->Access[2 * I + 1])
      Access |= GPUINSTR_ACCESS_UNKNOWN;
    for (Roots Stored : Known->Stored)
      if (Stored & (memoryOf(I) | behind(I)))
        Access |= GPUINSTR_ACCESS_ESCAPE;
    Out.push_back(Access);
  }
  return Out;
}

const FunctionDecl *KernelAccess::visible(const FunctionDecl &F) {
  if (!Code)
    return nullptr;
  auto [Known, Fresh] = Visible.try_emplace(F.getCanonicalDecl(), nullptr);
  if (!Fresh)
    return Known->second;
  const FunctionDecl *Definition = Code->definition(F);
  if (!Definition || !Definition->getBody() || !Alike->isAlike(*Definition))
    return nullptr;
  return Visible[F.getCanonicalDecl()] = Definition;
}

bool KernelAccess::isSystem(SourceLocation Loc) {
  return Origins.ofLocation(Loc) != FunctionOrigin::User;
}

bool KernelAccess::onlyReads(const FunctionDecl &F) {
  llvm::StringRef Name = systemFunctionName(F, *this);
  if (!Name.empty() && (isPureFunction(Name) || Name == "__ldg"))
    return true;
  const AccessSummary *Known = summary(F);
  return Known && llvm::all_of(Known->Access, [](uint8_t A) { return !(A & ~access::Read); });
}

const AccessSummary *KernelAccess::summary(const FunctionDecl &F) {
  if (!Budget)
    return nullptr;
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
  if (!AccessWalker(*this, *Definition).run(*Result))
    return nullptr;
  return (Summaries[Definition] = std::move(Result)).get();
}

} // namespace gpuinstr
