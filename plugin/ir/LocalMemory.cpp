// Which memory does not leave its function by the result, whatever else the function returns.
// SPDX-License-Identifier: Apache-2.0
#include "ir/LocalMemory.h"
#include "ir/analysis/OperandOrigins.h"
#include "ir/flow/PointerFlow.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// A caller's variable receives only what may hold a pointer.
bool returnsMemory(const Function &F) {
  const Type *T = F.getReturnType();
  if (T->isVoidTy())
    return isConstructor(F.getName()) || F.hasStructRetAttr();
  return T->isPointerTy() || T->isAggregateType() || T->getScalarSizeInBits() >= 64;
}

bool makes(const Site &S) {
  return S.Op == GPUINSTR_OP_ALLOC || S.Op == GPUINSTR_OP_CREATE ||
         (S.Op == GPUINSTR_OP_LIBRARY && S.Resource && S.Detail != 2);
}

/// The address that a call fills, or the object that it returns into.
const Value *filledBy(const PlannedCall &P, const Site &S, ModuleView &View) {
  const CallBase &Call = *P.Call;
  if (S.Op == GPUINSTR_OP_CALLER) {
    const Function *Callee = ModuleView::callee(Call);
    const bool Constructs = Callee && isConstructor(Callee->getName());
    return Call.arg_size() && (Constructs || Call.hasStructRetAttr()) ? Call.getArgOperand(0)
                                                                      : nullptr;
  }
  const ApiEntry *Entry = entryOf(P, View);
  const int Param = Entry ? Entry->parameterOf(GPUINSTR_SLOT_DST) : -1;
  std::optional<OperandPlace> Place;
  if (Param >= 0)
    Place = placeOf(Call, *Entry, Param);
  const Value *Address = Place ? Call.getArgOperand(Place->Index) : nullptr;
  return Address && Address->getType()->isPointerTy() ? Address : nullptr;
}

bool isLocal(const PlannedCall &P, const Site &S, ModuleView &View, PointerFlows &Flows) {
  const Function &F = *P.Call->getFunction();
  const bool Receives = S.Op == GPUINSTR_OP_CALLER && (S.Flags & GPUINSTR_SITE_RECEIVES);
  if (P.What == PlannedCall::Exit || (!Receives && !makes(S)))
    return false;
  PointerReach Reach;
  if (const Value *Address = filledBy(P, S, View))
    Reach = Flows.ofContents(F, *Address, S.Op == GPUINSTR_OP_CALLER);
  else if (Receives && !P.Call->getType()->isVoidTy())
    Reach = Flows.ofValue(F, *P.Call);
  else
    return false;
  return !Reach.Result && !(isConstructor(F.getName()) && Reach.Arguments.test(0));
}

/// Each call's pointer is followed through the whole function: of many calls in a large one, none
/// is, so that compile time does not grow with their product.
bool isCheap(const PlannedFunction &P, const DescriptorEmitter &Sites) {
  constexpr uint64_t MostVisits = 1 << 18;
  const auto Followed = count_if(P.Calls, [&](const PlannedCall &Call) {
    if (Call.What == PlannedCall::Exit)
      return false;
    const Site &S = Sites.sites()[Call.Site];
    return makes(S) || S.Flags & GPUINSTR_SITE_RECEIVES;
  });
  return uint64_t(Followed) * P.F->getInstructionCount() <= MostVisits;
}

} // namespace

void markLocalMemory(const std::vector<PlannedFunction> &Planned, ModuleView &View,
                     DescriptorEmitter &Sites) {
  PointerFlows Flows(View);
  for (const PlannedFunction &P : Planned) {
    if (View.kind(*P.F) != CodeKind::User || !returnsMemory(*P.F) || !isCheap(P, Sites))
      continue;
    for (const PlannedCall &Call : P.Calls)
      if (Call.What != PlannedCall::Exit && isLocal(Call, Sites.sites()[Call.Site], View, Flows))
        Sites.flag(Call.Site, GPUINSTR_SITE_LOCAL);
  }
}

} // namespace gpuinstr
