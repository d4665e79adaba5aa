// Translates inline PTX: mbarriers and asynchronous copies.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/ptx/InlinePtx.h"

using namespace llvm;

namespace gpuinstr {

/// `arrive.expect_tx` and the like, without scopes and spaces.
static std::string operation(const PtxStatement &S) {
  std::string Name;
  for (StringRef Part : {"init", "inval", "pending_count", "arrive", "arrive_drop", "test_wait",
                         "try_wait", "expect_tx", "complete_tx", "parity"})
    if (S.has(Part))
      Name += ("_" + Part).str();
  return Name;
}

/// mbarrier.arrive.b64 state, [bar], count and all its relatives.
bool PtxTranslator::mbarrier(const PtxStatement &S) {
  const std::string What = operation(S);
  Type *Word = B.getInt32Ty(), *Wide = B.getInt64Ty(), *Void = B.getVoidTy();
  const std::string Function = "__gpuinstr_ptx_mbarrier" + What;
  const size_t Count = S.Operands.size();
  if (What == "_pending_count") {
    Value *State = Count == 2 ? read(S.Operands[1], Wide) : nullptr;
    return State && write(S.Operands[0], call(Function, Word, {State}));
  }
  // Results come first.
  const bool Returns = Count && !StringRef(S.Operands[0]).starts_with("[");
  const unsigned First = Returns ? 1 : 0;
  Value *At = First < Count ? address(S, S.Operands[First]) : nullptr;
  Value *Operand = First + 1 < Count ? read(S.Operands[First + 1], Word) : nullptr;
  if (!At)
    return false;
  if (What == "_inval")
    return true;
  if (What == "_test_wait" || What == "_try_wait" || What == "_test_wait_parity" ||
      What == "_try_wait_parity") {
    const bool Parity = S.has("parity");
    Value *Phase = Parity || !Operand ? Operand : read(S.Operands[First + 1], Wide);
    if (!Returns || !Phase)
      return false;
    Value *Ended =
        call(Parity ? "__gpuinstr_ptx_mbarrier_wait_parity" : "__gpuinstr_ptx_mbarrier_wait",
             B.getInt1Ty(), {At, Phase});
    // Programs ask in a loop: others must run meanwhile.
    Waits = true;
    call("__gpuinstr_sim_wait", Void, {});
    return write(S.Operands[0], Ended);
  }
  if (!Operand && (What == "_arrive" || What == "_arrive_drop"))
    Operand = B.getInt32(1);
  if (!Operand || !Library.contains(Function))
    return false;
  if (!Returns)
    return call(Function, StringRef(What).contains("_arrive") ? Wide : Void, {At, Operand});
  return write(S.Operands[0], call(Function, Wide, {At, Operand}));
}

/// cp.async, cp.async.bulk without tensors: done at once.
bool PtxTranslator::copyAsync(const PtxStatement &S) {
  Type *Word = B.getInt32Ty(), *Void = B.getVoidTy();
  const size_t Count = S.Operands.size();
  if (S.name() != "cp" || !S.has("async") || S.has("tensor") || S.has("multicast::cluster") ||
      S.has("cp_mask"))
    return false;
  if (S.has("commit_group") || S.has("wait_group") || S.has("wait_all") || S.has("prefetch"))
    return true;
  if (S.has("mbarrier")) {
    // An arrival of its own only with .noinc: else one more is expected first.
    Value *At = Count == 1 ? address(S, S.Operands[0]) : nullptr;
    return At && (!S.has("noinc") ||
                  call("__gpuinstr_ptx_mbarrier_arrive", B.getInt64Ty(), {At, B.getInt32(1)}));
  }
  Value *To = Count > 2 ? address(S, S.Operands[0]) : nullptr;
  Value *From = Count > 2 ? address(S, S.Operands[1]) : nullptr;
  Value *Bytes = Count > 2 ? read(S.Operands[2], Word) : nullptr;
  if (!To || !From || !Bytes)
    return false;
  const unsigned Policy = S.has("L2::cache_hint") ? 1 : 0;
  if (!S.has("bulk")) {
    // Fewer bytes of the source; a predicate that leaves it out is refused.
    const bool Fewer = Count - Policy == 4;
    Value *Named = Fewer ? readNamed(S.Operands[3]) : nullptr;
    Value *Given = Fewer ? read(S.Operands[3], Word) : Bytes;
    return Given && Count - Policy <= 4 && !(Named && Named->getType()->isIntegerTy(1)) &&
           call("__gpuinstr_ptx_cp_async", Void, {To, From, Bytes, Given});
  }
  const bool Counts = S.has("mbarrier::complete_tx::bytes");
  if (Count - Policy != (Counts ? 4 : 3) || (!Counts && !S.has("bulk_group")))
    return false;
  Value *At = Counts ? address(S, S.Operands[3]) : nullptr;
  if (Counts && !At)
    return false;
  call("__gpuinstr_ptx_cp_async_bulk", Void, {To, From, Bytes});
  if (Counts)
    call("__gpuinstr_ptx_mbarrier_complete_tx", Void, {At, Bytes});
  return true;
}

} // namespace gpuinstr
