// Which functions of the module an indirect call may reach.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/IndirectCalls.h"
#include "ir/analysis/ModuleView.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr uint64_t NoSlot = 1u << 30;
/// Before a vtable's functions: the offset to the top, the type.
constexpr uint64_t FirstSlot = 2;

/// object->vtable[slot]
uint64_t slotOf(const CallBase &Call) {
  const auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Load)
    return NoSlot;
  const Value *Entry = Load->getPointerOperand();
  uint64_t Slot = 0;
  if (const auto *Address = dyn_cast<GEPOperator>(Entry)) {
    const auto *Index = Address->getNumIndices() == 1
                            ? dyn_cast<ConstantInt>(Address->idx_begin()->get())
                            : nullptr;
    if (!Index || !Address->getSourceElementType()->isPointerTy())
      return NoSlot;
    Slot = Index->getZExtValue();
    Entry = Address->getPointerOperand();
  }
  return isa<LoadInst>(Entry) ? Slot : NoSlot;
}

} // namespace

void IndirectTargets::add(const Function &F) {
  SmallVector<const Use *, 8> Uses;
  for (const Use &U : F.uses())
    Uses.push_back(&U);
  while (!Uses.empty()) {
    const Use &U = *Uses.pop_back_val();
    const User *In = U.getUser();
    if (const auto *Call = dyn_cast<CallBase>(In); Call && Call->isCallee(&U))
      continue;
    if (isa<GlobalAlias>(In) || (isa<ConstantExpr>(In) && cast<ConstantExpr>(In)->isCast())) {
      for (const Use &Further : In->uses())
        Uses.push_back(&Further);
      continue;
    }
    const uint64_t At = U.getOperandNo();
    const bool IsTable = isa<ConstantArray>(In) && At >= FirstSlot;
    Known.insert({F.getFunctionType(), IsTable ? At - FirstSlot : NoSlot});
  }
}

bool IndirectTargets::reachedFrom(const Function &F) const {
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && !Call->isInlineAsm() && !ModuleView::callee(*Call) &&
        Known.contains({Call->getFunctionType(), slotOf(*Call)}))
      return true;
  }
  return false;
}

} // namespace gpuinstr
