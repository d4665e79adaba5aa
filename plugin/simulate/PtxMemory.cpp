// Inline PTX in carried code: memory, fences, operations of several threads.
// SPDX-License-Identifier: Apache-2.0
#include "InlinePtx.h"
#include "Retarget.h"
#include "gpuinstr/simulated_kernel.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/AtomicOrdering.h"

using namespace llvm;

namespace gpuinstr {

Value *PtxTranslator::ofShared(Value *Address) {
  Value *Field = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Asm.getFunction()->getArg(0),
                                              offsetof(gpuinstr_sim_thread, shared));
  Value *Start = B.CreateLoad(B.getPtrTy(), Field);
  Value *Low = B.CreateTrunc(B.CreatePtrToInt(Start, B.getInt64Ty()), B.getInt32Ty());
  return B.CreateGEP(B.getInt8Ty(), Start, B.CreateSExt(B.CreateSub(Address, Low), B.getInt64Ty()));
}

/// Cooperative groups keep barriers of their own there.
Value *PtxTranslator::reserved() {
  Module &M = *Asm.getModule();
  GlobalVariable *G = M.getNamedGlobal(ReservedShared);
  if (!G) {
    Type *T = ArrayType::get(B.getInt8Ty(), 1024);
    G = new GlobalVariable(M, T, false, GlobalValue::LinkOnceODRLinkage, UndefValue::get(T),
                           ReservedShared);
    G->setComdat(M.getOrInsertComdat(ReservedShared));
    G->setVisibility(GlobalValue::HiddenVisibility);
    G->setAlignment(Align(128));
  }
  return B.CreateTrunc(B.CreatePtrToInt(G, B.getInt64Ty()), B.getInt32Ty());
}

/// "[$1+16]". A 32-bit address is one of shared memory: the low half of a flat address, to be
/// completed by the block's, which lies within 2 GiB.
Value *PtxTranslator::address(const PtxStatement &S, StringRef Operand) {
  if (!Operand.consume_front("[") || !Operand.consume_back("]"))
    return nullptr;
  auto [Base, Offset] = Operand.split('+');
  Value *V = readNamed(Base.trim());
  if (!V)
    return nullptr;
  int64_t Distance = 0;
  if (!Offset.empty() && Offset.trim().getAsInteger(0, Distance))
    return nullptr;
  if (V->getType()->isIntegerTy(32)) {
    if (!S.has("shared") && !S.has("shared::cta"))
      return nullptr;
    V = ofShared(V);
  }
  V = as(V, B.getPtrTy());
  return V && Distance ? B.CreateConstGEP1_64(B.getInt8Ty(), V, Distance) : V;
}

static bool ordered(const PtxStatement &S) {
  return S.has("acquire") || S.has("release") || S.has("relaxed") || S.has("mmio");
}

bool PtxTranslator::load(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || S.Operands.size() != 2 || S.has("param"))
    return false;
  Value *From = address(S, S.Operands[1]);
  if (!From)
    return false;
  StringRef To = S.Operands[0];
  SmallVector<std::string, 6> Parts{To.str()};
  if (To.starts_with("{"))
    Parts = splitPtxOperands(To.drop_front().drop_back());
  for (unsigned I = 0; I < Parts.size(); ++I) {
    Value *At = I ? B.CreateConstGEP1_64(T, From, I) : From;
    LoadInst *Load = B.CreateLoad(T, At, S.has("volatile"));
    if (ordered(S))
      Load->setAtomic(S.has("acquire") ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic);
    Value *V = Load;
    // Narrow values sit in wider registers.
    if (T->isIntegerTy() && T->getIntegerBitWidth() < 32 && S.type()[0] == 's')
      V = B.CreateSExt(V, B.getInt32Ty());
    if (!write(Parts[I], V))
      return false;
  }
  return true;
}

bool PtxTranslator::store(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || S.Operands.size() != 2)
    return false;
  Value *To = address(S, S.Operands[0]);
  if (!To)
    return false;
  StringRef From = S.Operands[1];
  SmallVector<std::string, 6> Parts{From.str()};
  if (From.starts_with("{"))
    Parts = splitPtxOperands(From.drop_front().drop_back());
  for (unsigned I = 0; I < Parts.size(); ++I) {
    Value *V = read(Parts[I], T);
    if (!V)
      return false;
    StoreInst *Store = B.CreateStore(V, I ? B.CreateConstGEP1_64(T, To, I) : To, S.has("volatile"));
    if (ordered(S))
      Store->setAtomic(S.has("release") ? AtomicOrdering::Release : AtomicOrdering::Monotonic);
  }
  return true;
}

bool PtxTranslator::atomic(const PtxStatement &S, bool Returns) {
  Type *T = typeOf(S.type());
  const unsigned First = Returns ? 1 : 0;
  if (!T || S.Operands.size() < First + 2)
    return false;
  Value *At = address(S, S.Operands[First]);
  Value *V = read(S.Operands[First + 1], T);
  if (!At || !V)
    return false;
  const bool Signed = S.type()[0] == 's', Float = T->isFloatingPointTy();
  Value *Old = nullptr;
  if (S.has("cas")) {
    Type *Bits = B.getIntNTy(T->getPrimitiveSizeInBits());
    Value *New = S.Operands.size() == First + 3 ? read(S.Operands[First + 2], Bits) : nullptr;
    if (!New)
      return false;
    Old = B.CreateExtractValue(B.CreateAtomicCmpXchg(At, as(V, Bits), New, MaybeAlign(),
                                                     AtomicOrdering::SequentiallyConsistent,
                                                     AtomicOrdering::SequentiallyConsistent),
                               0);
  } else {
    AtomicRMWInst::BinOp Op = AtomicRMWInst::BAD_BINOP;
    if (S.has("add"))
      Op = Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
    else if (S.has("exch"))
      Op = AtomicRMWInst::Xchg;
    else if (S.has("and"))
      Op = AtomicRMWInst::And;
    else if (S.has("or"))
      Op = AtomicRMWInst::Or;
    else if (S.has("xor"))
      Op = AtomicRMWInst::Xor;
    else if (S.has("min") && !Float)
      Op = Signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
    else if (S.has("max") && !Float)
      Op = Signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    else if (S.has("inc") && !Float)
      Op = AtomicRMWInst::UIncWrap;
    else if (S.has("dec") && !Float)
      Op = AtomicRMWInst::UDecWrap;
    if (Op == AtomicRMWInst::BAD_BINOP)
      return false;
    Old = B.CreateAtomicRMW(Op, At, V, MaybeAlign(), AtomicOrdering::SequentiallyConsistent);
  }
  return !Returns || write(S.Operands[0], Old);
}

bool PtxTranslator::fence(const PtxStatement &S) {
  if (S.has("proxy") || S.has("mbarrier_init"))
    return false;
  B.CreateFence(AtomicOrdering::SequentiallyConsistent);
  return true;
}

/// Barriers, votes, shuffles and the like: those of the library that NVVM's intrinsics use.
bool PtxTranslator::collective(const PtxStatement &S) {
  const StringRef Name = S.name();
  Type *Word = B.getInt32Ty(), *Bit = B.getInt1Ty(), *Void = B.getVoidTy();
  auto In = [&](unsigned I, Type *T) {
    return I < S.Operands.size() ? read(S.Operands[I], T) : nullptr;
  };
  const bool Warp = S.has("warp");
  Waits = true;
  if ((Name == "bar" || Name == "barrier") && S.has("sync") && !S.has("cluster")) {
    Value *Id = In(0, Word), *Count = In(1, Word);
    if (!Id)
      return false;
    if (Warp)
      call("__gpuinstr_nvvm_bar_warp_sync", Void, {Id});
    else
      call("__gpuinstr_nvvm_barrier", Void, {Id, Count ? Count : B.getInt32(0)});
    return true;
  }
  if (Name == "activemask")
    return write(S.Operands[0], call("__gpuinstr_nvvm_activemask", Word, {B.getInt32(Sites++)}));
  if (Name == "vote" && S.has("sync") && S.Operands.size() == 3) {
    std::string Callee = "__gpuinstr_nvvm_vote_" + S.Parts[2] + "_sync";
    Value *P = In(1, Bit), *Mask = In(2, Word);
    return P && Mask && Library.contains(Callee) &&
           write(S.Operands[0], call(Callee, S.Parts[2] == "ballot" ? Word : Bit, {Mask, P}));
  }
  if (Name == "shfl" && S.has("sync") && S.Operands.size() == 5) {
    std::string Callee = "__gpuinstr_nvvm_shfl_sync_" + S.Parts[2] + "_i32";
    Value *V = In(1, Word), *Lane = In(2, Word), *Clamp = In(3, Word), *Mask = In(4, Word);
    return V && Lane && Clamp && Mask && Library.contains(Callee) &&
           write(S.Operands[0], call(Callee, Word, {Mask, V, Lane, Clamp}));
  }
  if (Name == "nanosleep" && S.Operands.size() == 1) {
    Value *V = In(0, Word);
    return V && call("__gpuinstr_nvvm_nanosleep", Void, {V});
  }
  Waits = false;
  if (Name == "trap" || Name == "exit") {
    call(("__gpuinstr_nvvm_" + Name).str(), Void, {});
    return true;
  }
  return false;
}

} // namespace gpuinstr
