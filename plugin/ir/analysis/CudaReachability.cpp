// Which functions of a module contain CUDA calls, directly or through the functions they call.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/CudaReachability.h"
#include "ir/analysis/IndirectCalls.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Functions that call G, through aliases too.
void collectCallers(const Value &G, SmallPtrSetImpl<const Function *> &Callers) {
  for (const User *U : G.users()) {
    if (const auto *Call = dyn_cast<CallBase>(U)) {
      if (Call->getCalledOperand()->stripPointerCastsAndAliases() ==
          G.stripPointerCastsAndAliases())
        Callers.insert(Call->getFunction());
    } else if (isa<GlobalAlias>(U)) {
      collectCallers(*U, Callers);
    }
  }
}

bool callsIndirectly(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I))
      if (!Call->isInlineAsm() && !ModuleView::callee(*Call))
        return true;
  return false;
}

} // namespace

CudaReachability::CudaReachability(Module &M, ModuleView &View) {
  SmallVector<const Function *, 32> Work;
  for (const Function &F : M)
    if (View.api(F) || F.getName().starts_with("__cudaPushCallConfiguration"))
      Work.push_back(&F);
  auto Spread = [&](DenseSet<const Function *> &Into, auto &&Through) {
    while (!Work.empty()) {
      SmallPtrSet<const Function *, 16> Callers;
      collectCallers(*Work.pop_back_val(), Callers);
      for (const Function *Caller : Callers)
        if (Through(*Caller) && Into.insert(Caller).second)
          Work.push_back(Caller);
    }
  };
  auto Anyone = [](const Function &) { return true; };
  Spread(Reaching, Anyone);
  // Through vtables and pointers to functions, and from there on.
  IndirectTargets Targets;
  for (bool Changed = true; Changed;) {
    for (const Function *F : Reaching)
      if (View.kind(*F) == CodeKind::User || View.kind(*F) == CodeKind::System)
        Targets.add(*F);
    if (Targets.empty())
      break;
    for (const Function &F : M)
      if (!Reaching.contains(&F) && View.kind(F) == CodeKind::User && Targets.reachedFrom(F)) {
        Reaching.insert(&F);
        Work.push_back(&F);
      }
    Changed = !Work.empty();
    Spread(Reaching, Anyone);
  }

  auto IsSystem = [&](const Function &F) { return View.kind(F) == CodeKind::System; };
  for (const Function &F : M)
    if (callsIndirectly(F) && IsSystem(F) && CallingBack.insert(&F).second)
      Work.push_back(&F);
  Spread(CallingBack, IsSystem);

  // To announce calls of whatever calls code that is not seen would cost where CUDA is far away.
  auto Returns = [&](const Function &F) {
    return F.isDiscardableIfUnused() && F.getReturnType()->isPointerTy() &&
           View.kind(F) == CodeKind::User;
  };
  for (const Function &F : M)
    if (F.getReturnType()->isPointerTy() && View.allocatesElsewhere(F))
      Work.push_back(&F);
  Spread(ReturningUnseen, Returns);
}

} // namespace gpuinstr
