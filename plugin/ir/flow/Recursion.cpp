// Which functions may lie on the stack many times at once.
// SPDX-License-Identifier: Apache-2.0
#include "ir/flow/Recursion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// A destructor is often called by an alias.
template <class Visit> void eachCalled(const Function &F, Visit visit) {
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I))
      if (const auto *Called =
              dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases()))
        if (!Called->isDeclaration())
          visit(*Called);
}

} // namespace

/// What is left when those that nobody calls are taken out, again and again.
DenseSet<const Function *> functionsOfRecursions(const Module &M) {
  DenseMap<const Function *, unsigned> Calls;
  DenseSet<const Function *> Left;
  for (const Function &F : M) {
    if (!F.isDeclaration())
      Left.insert(&F);
    eachCalled(F, [&](const Function &Called) { ++Calls[&Called]; });
  }
  SmallVector<const Function *, 32> Work;
  for (const Function *F : Left)
    if (!Calls.contains(F))
      Work.push_back(F);
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    Left.erase(F);
    eachCalled(*F, [&](const Function &Called) {
      if (--Calls[&Called] == 0)
        Work.push_back(&Called);
    });
  }
  return Left;
}

} // namespace gpuinstr
