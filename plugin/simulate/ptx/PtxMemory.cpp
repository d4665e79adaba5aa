// Translates inline PTX: memory, fences, operations of several threads.
// SPDX-License-Identifier: Apache-2.0
#include "gpuinstr/simulated_kernel.h"
#include "simulate/library/DeviceNames.h"
#include "simulate/ptx/InlinePtx.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"
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
    const bool Barrier = S.name() == "mbarrier" || S.has("mbarrier");
    if (!S.has("shared") && !S.has("shared::cta") && !S.has("shared::cluster") && !Barrier)
      return nullptr;
    V = ofShared(V);
  }
  V = as(V, B.getPtrTy());
  return V && Distance ? B.CreateConstGEP1_64(B.getInt8Ty(), V, Distance) : V;
}

static bool ordered(const PtxStatement &S) {
  return S.has("acquire") || S.has("release") || S.has("relaxed") || S.has("mmio");
}

/// What else changes the meaning is not listed, and refused. Blocks of a cluster cannot reach each
/// other's shared memory, so an address of the cluster is the block's own.
static bool plainAccess(const PtxStatement &S) {
  static const StringRef Listed[] = {"weak",    "volatile", "relaxed",     "acquire",
                                     "release", "mmio",     "cta",         "cluster",
                                     "gpu",     "sys",      "global",      "const",
                                     "local",   "shared",   "shared::cta", "shared::cluster",
                                     "nc",      "ca",       "cg",          "cs",
                                     "lu",      "cv",       "wb",          "wt",
                                     "v2",      "v4",       "v8"};
  for (StringRef Part : drop_begin(drop_end(S.Parts)))
    if (!Part.starts_with("L1::") && !Part.starts_with("L2::") && !is_contained(Listed, Part))
      return false;
  return S.Operands.size() == (S.has("L2::cache_hint") ? 3 : 2);
}

/// Others may write at the same time, or the program asks for the newest value: cached in the
/// second level, or nowhere.
static bool changes(const PtxStatement &S) {
  return S.has("volatile") || S.has("cv") || S.has("cg");
}

/// One access of all parts, as the device has it: readers see either all of a vector or nothing.
/// Of 16 bytes an aligned load of a vector is, on all x86-64 with AVX; more come in pieces.
Value *PtxTranslator::loadWhole(const PtxStatement &S, Value *From, unsigned Bits) {
  const bool Ordered = ordered(S), Whole = Bits == 128;
  Type *T = Whole ? cast<Type>(FixedVectorType::get(B.getInt64Ty(), 2)) : B.getIntNTy(Bits);
  LoadInst *Load = B.CreateAlignedLoad(T, From, Align(Bits / 8), changes(S) || (Whole && Ordered));
  if (Ordered && !Whole)
    Load->setAtomic(S.has("acquire") ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic);
  else if (S.has("acquire"))
    B.CreateFence(AtomicOrdering::Acquire);
  return Whole ? B.CreateBitCast(Load, B.getIntNTy(Bits)) : Load;
}

void PtxTranslator::storeWhole(const PtxStatement &S, Value *V, Value *To) {
  const unsigned Bits = V->getType()->getIntegerBitWidth();
  const bool Ordered = ordered(S), Whole = Bits == 128;
  if (Whole) {
    V = B.CreateBitCast(V, FixedVectorType::get(B.getInt64Ty(), 2));
    if (S.has("release"))
      B.CreateFence(AtomicOrdering::Release);
  }
  StoreInst *Store =
      B.CreateAlignedStore(V, To, Align(Bits / 8), S.has("volatile") || (Whole && Ordered));
  if (Ordered && !Whole)
    Store->setAtomic(S.has("release") ? AtomicOrdering::Release : AtomicOrdering::Monotonic);
}

/// Bits of one access: a vector of up to 16 bytes is one.
static unsigned accessBits(Type *T, size_t Parts) {
  const unsigned Bits = T->getPrimitiveSizeInBits();
  return Bits * Parts <= 128 ? Bits * Parts : Bits;
}

bool PtxTranslator::load(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || !plainAccess(S))
    return false;
  Value *From = address(S, S.Operands[1]);
  if (!From)
    return false;
  const auto Parts = ptxParts(S.Operands[0]);
  const bool Signed = S.type()[0] == 's';
  const unsigned Bits = accessBits(T, Parts.size());
  if (Parts.size() * T->getPrimitiveSizeInBits() == Bits)
    return writeParts(S.Operands[0], loadWhole(S, From, Bits), T, Signed);
  for (unsigned I = 0; I < Parts.size(); ++I)
    if (!writeParts(Parts[I], loadWhole(S, B.CreateConstGEP1_64(T, From, I), Bits), T, Signed))
      return false;
  return true;
}

bool PtxTranslator::store(const PtxStatement &S) {
  Type *T = typeOf(S.type());
  if (!T || !plainAccess(S))
    return false;
  Value *To = address(S, S.Operands[0]);
  if (!To)
    return false;
  const auto Parts = ptxParts(S.Operands[1]);
  const bool Whole = Parts.size() * T->getPrimitiveSizeInBits() == accessBits(T, Parts.size());
  for (unsigned I = 0; I < (Whole ? 1 : Parts.size()); ++I) {
    Value *V = readParts(Whole ? StringRef(S.Operands[1]) : StringRef(Parts[I]), T);
    if (!V)
      return false;
    storeWhole(S, V, I ? B.CreateConstGEP1_64(T, To, I) : To);
  }
  return true;
}

static bool plainAtomic(const PtxStatement &S) {
  static const StringRef Listed[] = {"add",         "exch",
                                     "cas",         "and",
                                     "or",          "xor",
                                     "min",         "max",
                                     "inc",         "dec",
                                     "relaxed",     "acquire",
                                     "release",     "acq_rel",
                                     "cta",         "cluster",
                                     "gpu",         "sys",
                                     "global",      "shared",
                                     "shared::cta", "shared::cluster",
                                     "noftz"};
  return all_of(drop_begin(drop_end(S.Parts)),
                [](StringRef Part) { return is_contained(Listed, Part); });
}

bool PtxTranslator::atomic(const PtxStatement &S, bool Returns) {
  const unsigned First = Returns ? 1 : 0;
  if (S.has("noftz") && plainAtomic(S) && S.Operands.size() == First + 2) {
    Value *To = address(S, S.Operands[First]), *Before = nullptr;
    return To && narrowAtomic(S, To, S.Operands[First + 1], Before) &&
           (!Returns || write(S.Operands[0], Before));
  }
  Type *T = typeOf(S.type());
  // 16 bytes need an instruction that not all x86-64 have.
  if (!T || S.Operands.size() < First + 2 || T->isIntegerTy(128) || !plainAtomic(S))
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

/// There is one memory, so proxies need no fence; tensor maps are not simulated.
bool PtxTranslator::fence(const PtxStatement &S) {
  if (S.has("tensormap") || S.has("tensormap::generic") || !S.Operands.empty())
    return false;
  B.CreateFence(AtomicOrdering::SequentiallyConsistent);
  return true;
}

/// Cache policies change no value here. A dependent grid starts only when its predecessor has ended
/// and its memory is visible.
bool PtxTranslator::hint(const PtxStatement &S) {
  if (S.name() == "griddepcontrol")
    return S.Parts.size() == 2 && (S.has("wait") || S.has("launch_dependents"));
  if (S.name() == "createpolicy")
    return (S.has("fractional") || S.has("range")) && write(S.Operands[0], B.getInt64(0));
  return !S.Operands.empty() && !S.has("tensormap") && address(S, S.Operands[0]);
}

bool PtxTranslator::isInSpace(const PtxStatement &S) {
  if (S.Parts.size() != 2 || S.Operands.size() != 2)
    return false;
  const StringRef Space = StringRef(S.Parts[1]).split("::").first;
  const std::string Callee = ("__gpuinstr_nvvm_isspacep_" + Space).str();
  Value *V = read(S.Operands[1], B.getPtrTy());
  return V && Library.contains(Callee) && write(S.Operands[0], call(Callee, B.getInt1Ty(), {V}));
}

/// Barriers and the like: those of the library that NVVM's intrinsics use.
bool PtxTranslator::collective(const PtxStatement &S) {
  const StringRef Name = S.name();
  Type *Word = B.getInt32Ty(), *Void = B.getVoidTy();
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
