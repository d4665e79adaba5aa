// Translates inline PTX: shuffles, votes and other operations of a warp.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/ptx/InlinePtx.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpuinstr {

/// `d|p`, `d` or `_|p`, from a function that writes both through pointers.
bool PtxTranslator::writePair(const PtxStatement &S, StringRef Callee,
                              ArrayRef<Value *> Arguments) {
  if (!Library.contains(Callee))
    return false;
  IRBuilder<> AtEntry(&*Asm.getFunction()->getEntryBlock().getFirstInsertionPt());
  Value *To = AtEntry.CreateAlloca(B.getInt32Ty()), *Is = AtEntry.CreateAlloca(B.getInt8Ty());
  SmallVector<Value *, 6> All(Arguments);
  All.append({To, Is});
  call(Callee, B.getVoidTy(), All);
  return write(S.Operands[0], B.CreateLoad(B.getInt32Ty(), To)) &&
         (!S.Pair ||
          write(S.Operands[1], B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Is), B.getInt1Ty())));
}

/// Those with .sync, which wait for the lanes of their mask. False also for what is none.
bool PtxTranslator::warp(const PtxStatement &S) {
  const StringRef Name = S.name();
  Type *Word = B.getInt32Ty(), *Bit = B.getInt1Ty();
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
    const std::string Callee =
        ("__gpuinstr_nvvm_shfl_sync_" + Mode + (S.Pair ? "_i32p" : "_i32")).str();
    Value *V = In(0, Word), *Lane = In(1, Word), *Clamp = In(2, Word), *Mask = In(3, Word);
    Waits = true;
    if (!V || !Lane || !Clamp || !Mask || !Library.contains(Callee))
      return false;
    if (S.Pair)
      return writePair(S, Callee, {Mask, V, Lane, Clamp});
    return write(S.Operands[0], call(Callee, Word, {Mask, V, Lane, Clamp}));
  }
  if (Name == "vote" && Count == 2) {
    const std::string Callee = ("__gpuinstr_nvvm_vote_" + Mode + "_sync").str();
    Value *P = In(0, Bit), *Mask = In(1, Word);
    Waits = true;
    return P && Mask && Library.contains(Callee) &&
           write(S.Operands[0], call(Callee, Mode == "ballot" ? Word : Bit, {Mask, P}));
  }
  if (Name == "match" && Count == 2 && (S.type() == "b32" || S.type() == "b64")) {
    const StringRef Bits = S.type() == "b32" ? "i32" : "i64";
    const std::string Callee = ("__gpuinstr_nvvm_match_" + Mode + "_sync_" + Bits).str();
    Value *V = In(0, typeOf(S.type())), *Mask = In(1, Word);
    Waits = true;
    if (!V || !Mask)
      return false;
    if (Mode == "all")
      return writePair(S, Callee + "p", {Mask, V});
    return Library.contains(Callee) && write(S.Operands[0], call(Callee, Word, {Mask, V}));
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
    // The lowest of those that have not ended.
    Value *Mask = In(0, Word);
    Waits = true;
    if (!Mask)
      return false;
    Value *Lanes = call("__gpuinstr_nvvm_vote_ballot_sync", Word, {Mask, B.getTrue()});
    Value *Leader = B.CreateBinaryIntrinsic(Intrinsic::cttz, Lanes, B.getFalse());
    return write(S.Operands[0], Leader) &&
           (!S.Pair || write(S.Operands[1], B.CreateICmpEQ(Leader, special("laneid"))));
  }
  return false;
}

} // namespace gpuinstr
