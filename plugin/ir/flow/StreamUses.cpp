// Which values are nothing but streams that CUDA's calls get.
// SPDX-License-Identifier: Apache-2.0
#include "ir/flow/StreamUses.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>

using namespace llvm;

namespace gpuinstr {

StreamUses::Use StreamUses::of(const Value &V) {
  auto [It, New] = Known.try_emplace(&V, Use::None); // in a circle: what else there is
  if (!New)
    return It->second;
  Use All = Use::None;
  for (const User *U : V.users())
    All = std::max(All, by(*U, V));
  return Known[&V] = All;
}

StreamUses::Use StreamUses::by(const User &U, const Value &V) {
  if (isa<CmpInst>(U))
    return Use::None;
  if (isa<CastInst>(U) || isa<PHINode>(U) || isa<SelectInst>(U) || isa<FreezeInst>(U))
    return of(U);
  if (const auto *Store = dyn_cast<StoreInst>(&U)) {
    const auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand());
    return Variable && Store->getValueOperand() == &V ? ofContents(*Variable) : Use::Other;
  }
  const auto *Call = dyn_cast<CallBase>(&U);
  return Call ? inCall(*Call, V) : Use::Other;
}

StreamUses::Use StreamUses::ofContents(const AllocaInst &Variable) {
  Use All = Use::None;
  for (const User *U : Variable.users()) {
    const auto *Store = dyn_cast<StoreInst>(U);
    if (isa<LoadInst>(U))
      All = std::max(All, of(*U));
    else if (!(Store && Store->getPointerOperand() == &Variable) && !isa<IntrinsicInst>(U))
      All = Use::Other;
  }
  return All;
}

/// What a function does with it that reaches no CUDA is its own business, up to what it returns.
StreamUses::Use StreamUses::inCall(const CallBase &Call, const Value &V) {
  const Function *Callee = ModuleView::callee(Call);
  if (!Callee)
    return Use::Other;
  const ApiEntry *Entry = entryOf(*Callee);
  const bool IsConfiguration = Callee->getName() == "__cudaPushCallConfiguration";
  Use All = Use::None;
  for (const llvm::Use &Operand : Call.args()) {
    if (Operand.get() != &V)
      continue;
    const unsigned Index = Call.getArgOperandNo(&Operand);
    bool IsStream = IsConfiguration && Index + 1 == Call.arg_size();
    if (Entry)
      for (const ApiOperand &O : Entry->operands())
        if (const auto Place = placeOf(Call, *Entry, O.Param))
          IsStream |= O.Slot == GPUINSTR_SLOT_STREAM && Place->Index == Index;
    if (IsStream)
      All = std::max(All, Use::Stream);
    else if (Entry || IsConfiguration || Callee->isDeclaration() || Index >= Callee->arg_size())
      All = Use::Other;
    else
      All = std::max(All, Reaching.contains(*Callee) ? of(*Callee->getArg(Index)) : of(Call));
  }
  return All;
}

/// CUDA's function, or an inline one of its headers around it.
const ApiEntry *StreamUses::entryOf(const Function &Callee) {
  if (const std::optional<ApiMatch> &Api = View.api(Callee))
    return Api->Entry;
  if (View.kind(Callee) != CodeKind::Header)
    return nullptr;
  const std::optional<ApiMatch> Wrapped = View.wrappedApi(Callee);
  return Wrapped ? Wrapped->Entry : nullptr;
}

} // namespace gpuinstr
