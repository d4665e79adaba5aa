// Inline PTX in carried code: shuffles, votes and other operations of a warp.
// SPDX-License-Identifier: Apache-2.0
#include "InlinePtx.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpuinstr {

/// `d|p`, `d` or `_|p`: the predicate lies above the value.
bool PtxTranslator::writePair(const PtxStatement &S, Value *Both) {
  Value *Predicate = B.CreateTrunc(B.CreateLShr(Both, 32), B.getInt1Ty());
  return write(S.Operands[0], B.CreateTrunc(Both, B.getInt32Ty())) &&
         (!S.Pair || write(S.Operands[1], Predicate));
}

/// Those with .sync, which wait for the lanes of their mask. False also for what is none.
bool PtxTranslator::warp(const PtxStatement &S) {
  const StringRef Name = S.name();
  Type *Word = B.getInt32Ty(), *Wide = B.getInt64Ty(), *Bit = B.getInt1Ty();
  // The operands behind the result, which may be two.
  const unsigned First = S.Pair ? 2 : 1;
  auto In = [&](unsigned I, Type *T) {
    return First + I < S.Operands.size() ? read(S.Operands[First + I], T) : nullptr;
  };
  const size_t Count = S.Operands.size() < First ? 0 : S.Operands.size() - First;
  if (!S.has("sync") || S.Parts.size() < 2)
    return false;
  // vote.sync.all and vote.all.sync are one.
  const StringRef Mode = S.Parts.size() < 3     ? ""
                         : S.Parts[1] == "sync" ? StringRef(S.Parts[2])
                                                : StringRef(S.Parts[1]);
  if (Name == "shfl" && Count == 4 && S.type() == "b32") {
    const std::string Callee = ("__gpuinstr_ptx_shfl_sync_" + Mode).str();
    Value *V = In(0, Word), *Lane = In(1, Word), *Clamp = In(2, Word), *Mask = In(3, Word);
    Waits = true;
    return V && Lane && Clamp && Mask && Library.contains(Callee) &&
           writePair(S, call(Callee, Wide, {V, Lane, Clamp, Mask}));
  }
  if (Name == "vote" && Count == 2) {
    const std::string Callee = ("__gpuinstr_nvvm_vote_" + Mode + "_sync").str();
    Value *P = In(0, Bit), *Mask = In(1, Word);
    Waits = true;
    return P && Mask && Library.contains(Callee) &&
           write(S.Operands[0], call(Callee, Mode == "ballot" ? Word : Bit, {Mask, P}));
  }
  if (Name == "match" && Count == 2) {
    const std::string Callee = ("__gpuinstr_ptx_match_" + Mode + "_sync").str();
    Value *V = as(In(0, typeOf(S.type())), Wide), *Mask = In(1, Word);
    Waits = true;
    return V && Mask && Library.contains(Callee) && writePair(S, call(Callee, Wide, {V, Mask}));
  }
  if (Name == "redux" && Count == 2 && S.Parts.size() == 4) {
    // Only extremes of unsigned numbers differ from those of signed ones.
    const bool Unsigned = S.type() == "u32" && Mode.starts_with("m");
    const std::string Callee =
        (Twine("__gpuinstr_nvvm_redux_sync_") + (Unsigned ? "u" : "") + Mode).str();
    Value *V = S.type() == "f32" ? nullptr : In(0, Word), *Mask = In(1, Word);
    Waits = true;
    return V && Mask && Library.contains(Callee) &&
           write(S.Operands[0], call(Callee, Word, {V, Mask}));
  }
  if (Name == "elect" && Count == 1) {
    Value *Mask = In(0, Word);
    Waits = true;
    return Mask && writePair(S, call("__gpuinstr_ptx_elect_sync", Wide, {Mask}));
  }
  return false;
}

} // namespace gpuinstr
