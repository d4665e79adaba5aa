// Entry points whose address is taken.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/Addresses.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include <set>

using namespace llvm;

namespace gpuinstr {
namespace {

bool isCallOf(const Use &U) {
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  return Call && Call->isCallee(&U);
}

/// The variable that a constant user ends up in; null for llvm.used and the like.
const GlobalVariable *holderOf(const User *U) {
  if (const auto *G = dyn_cast<GlobalVariable>(U))
    return G->getName().starts_with("llvm.") ? nullptr : G;
  if (isa<Constant>(U) && !isa<GlobalValue>(U))
    for (const User *Next : U->users())
      if (const GlobalVariable *G = holderOf(Next))
        return G;
  return nullptr;
}

bool isCompared(const User *U) {
  if (isa<ICmpInst>(U) || isa<GlobalAlias>(U) || isa<GlobalIFunc>(U))
    return true;
  return isa<ConstantExpr>(U) && any_of(U->users(), [](const User *V) { return isCompared(V); });
}

/// The string that operand Index of a call points to, "" unknown.
StringRef constantText(const CallBase &Call, unsigned Index) {
  StringRef Text;
  if (Index < Call.arg_size() && getConstantStringInfo(Call.getArgOperand(Index), Text))
    return Text;
  return "";
}

void collectNamed(const Function &F, unsigned Index, std::set<std::string> &Unseen) {
  for (const User *U : F.users())
    if (const auto *Call = dyn_cast<CallBase>(U))
      if (StringRef Name = constantText(*Call, Index); matchApiName(Name))
        Unseen.insert(Name.str());
}

} // namespace

TakenAddresses findTakenAddresses(Module &M, ModuleView &View) {
  TakenAddresses Out;
  std::set<std::string> Unseen;
  for (Function &F : M) {
    if (F.getName() == "dlsym" || F.getName() == "dlvsym")
      collectNamed(F, 1, Unseen);
    const std::optional<ApiMatch> &Api = View.api(F);
    if (!Api || !F.isDeclaration())
      continue;
    if (Api->Op == GPUINSTR_OP_ENTRY_POINT)
      collectNamed(F, 0, Unseen);
    TakenAddress Taken{&F};
    bool Compared = F.hasExternalWeakLinkage();
    for (const Use &U : F.uses()) {
      if (isCallOf(U))
        continue;
      Compared |= isCompared(U.getUser());
      if (const auto *I = dyn_cast<Instruction>(U.getUser())) {
        if (!Taken.Where || !Taken.Where->getDebugLoc())
          Taken.Where = I;
      } else if (!Taken.Holder) {
        Taken.Holder = holderOf(U.getUser());
      }
    }
    if (!Taken.Where && !Taken.Holder)
      continue;
    if (Compared || F.isVarArg())
      Unseen.insert(F.getName().str());
    else
      Out.Wrappable.push_back(Taken);
  }
  Out.Unseen.assign(Unseen.begin(), Unseen.end());
  return Out;
}

void replaceAddress(Function &EntryPoint, Function &Thunk) {
  EntryPoint.replaceUsesWithIf(&Thunk, [&](Use &U) {
    if (const auto *I = dyn_cast<Instruction>(U.getUser()))
      return I->getFunction() != &Thunk && !isCallOf(U);
    return holderOf(U.getUser()) != nullptr || isa<ConstantExpr>(U.getUser());
  });
}

} // namespace gpuinstr
