// The short form of enter, leave and callers, for modules of many sites.
// SPDX-License-Identifier: Apache-2.0
#include "ir/CompactCalls.h"
#include "embed/BootstrapLinker.h"
#include "ir/emit/CallWrapper.h"
#include "ir/flow/Recursion.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// The same call of To, with further arguments behind the others.
CallBase &callInstead(CallBase &Call, Function &To, ArrayRef<Value *> Further) {
  SmallVector<Value *, 12> Arguments(Call.args());
  Arguments.append(Further.begin(), Further.end());
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    New = InvokeInst::Create(&To, Invoke->getNormalDest(), Invoke->getUnwindDest(), Arguments, "",
                             Call.getIterator());
  } else {
    auto *Plain = CallInst::Create(&To, Arguments, "", Call.getIterator());
    Plain->setTailCallKind(cast<CallInst>(Call).getTailCallKind());
    New = Plain;
  }
  New->setCallingConv(Call.getCallingConv());
  New->setAttributes(Call.getAttributes());
  New->copyMetadata(Call);
  New->setDebugLoc(Call.getDebugLoc());
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
  return *New;
}

/// The call goes on as it was: what it is given apart from the operands does not depend on it.
CallInst &callFrom(Function &Thunk, Function &Callee) {
  IRBuilder<> B(BasicBlock::Create(Thunk.getContext(), "", &Thunk));
  SmallVector<Value *, 8> Arguments;
  for (unsigned I = 0; I < Callee.arg_size(); ++I)
    Arguments.push_back(Thunk.getArg(I));
  CallInst *Call = B.CreateCall(&Callee, Arguments);
  Call->setCallingConv(Callee.getCallingConv());
  for (unsigned I = 0; I < Callee.arg_size(); ++I)
    for (const Attribute &A : Callee.getAttributes().getParamAttrs(I))
      Call->addParamAttr(I, A);
  if (Call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return *Call;
}

/// Nothing between the two could ask who called.
bool followsAtOnce(const CallBase &Call, const CallBase &Next) {
  if (isa<InvokeInst>(Call) || Call.getParent() != Next.getParent())
    return false;
  const Instruction *I = Call.getNextNode();
  while (I && I != &Next && (!isa<CallBase>(I) || isa<IntrinsicInst>(I)))
    I = I->getNextNode();
  return I == &Next;
}

} // namespace

bool CompactCalls::takes(const PlannedCall &P) {
  const Function *Callee = ModuleView::callee(*P.Call);
  return P.What == PlannedCall::Wrap && (P.Entry || P.IsHeaderWrapper || P.IsSharedLaunch) &&
         !P.Func && Callee && !Callee->isVarArg() && !P.Call->hasOperandBundles() &&
         P.Call->getFunctionType() == Callee->getFunctionType() &&
         P.Call->getCalledOperand() == Callee;
}

bool chooseCompactCalls(Module &M, MutableArrayRef<PlannedFunction> Planned, unsigned FewestSites) {
  unsigned Calls = 0, Announced = 0;
  for (const PlannedFunction &F : Planned)
    for (const PlannedCall &P : F.Calls) {
      Calls += CompactCalls::takes(P);
      Announced += P.What == PlannedCall::Announce;
    }
  const bool All = Calls + Announced >= FewestSites;
  if (!All && !Calls)
    return false;
  const DenseSet<const Function *> Deep =
      All ? DenseSet<const Function *>() : functionsOfRecursions(M);
  for (PlannedFunction &F : Planned)
    F.IsCompact = All || (Deep.contains(F.F) && any_of(F.Calls, CompactCalls::takes));
  return any_of(Planned, [](const PlannedFunction &F) { return F.IsCompact; });
}

/// With the module's own attributes, so that a debugger's backtrace passes through.
Function *CompactCalls::make(FunctionType *Type, const Twine &Name) {
  Function *F = Function::createWithDefaultAttr(
      Type, GlobalValue::ExternalLinkage, M.getDataLayout().getProgramAddressSpace(), Name, &M);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->addFnAttr(Attribute::NoInline);
  Made.emplace_back(F);
  return F;
}

void CompactCalls::hideFunctions() {
  for (Value *F : Made)
    if (F)
      cast<Function>(F)->setLinkage(GlobalValue::InternalLinkage);
}

/// One for each number of callers: arrays have room for no more.
std::string CompactCalls::nameOf(StringRef Helper) const {
  return (Depth > 1 ? Helper + "." + Twine(Depth) : Twine(Helper)).str();
}

Function *CompactCalls::helper(StringRef Name, ArrayRef<Type *> Types) {
  Function *F = make(FunctionType::get(Type::getVoidTy(M.getContext()), Types, false), Name);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<>(BasicBlock::Create(M.getContext(), "", F)).CreateRetVoid();
  return F;
}

Value *CompactCalls::siteOf(Value *Number, IRBuilderBase &B) const {
  return B.CreateInBoundsGEP(Sites->getValueType(), Sites,
                             {B.getInt64(0), B.CreateZExt(Number, B.getInt64Ty())});
}

Function *CompactCalls::thunk(const PlannedCall &P, Callers From) {
  Function &Callee = *ModuleView::callee(*P.Call);
  Function *&F = Thunks[{&Callee, unsigned(From), From == Callers::None ? 0 : Depth}];
  if (F)
    return F;
  LLVMContext &C = M.getContext();
  Type *Pointer = PointerType::getUnqual(C);
  SmallVector<Type *, 12> Types(Callee.getFunctionType()->params());
  Types.push_back(Type::getInt32Ty(C));
  if (From == Callers::Array)
    Types.push_back(Pointer);
  // A stub's name would make a stub of the function that calls it.
  const std::string Name = P.IsSharedLaunch ? "launch" : Callee.getName().str();
  F = make(FunctionType::get(Callee.getReturnType(), Types, false), "__gpuinstr_site." + Name);
  if (Callee.doesNotThrow())
    F->addFnAttr(Attribute::NoUnwind);
  F->setCallingConv(Callee.getCallingConv());
  for (unsigned I = 0; I < Callee.arg_size(); ++I)
    for (const Attribute &A : Callee.getAttributes().getParamAttrs(I))
      F->addParamAttr(I, A);
  CallInst &Call = callFrom(*F, Callee);
  unsigned Further = Callee.arg_size();
  IRBuilder<> B(&Call);
  Value *Site = siteOf(F->getArg(Further), B);
  Instruction *Hash = nullptr;
  if (From == Callers::Hash) {
    constexpr uint64_t Field = offsetof(gpuinstr_site, callee_hash);
    Hash =
        B.CreateLoad(B.getInt64Ty(), B.CreateInBoundsGEP(B.getInt8Ty(), Site, B.getInt64(Field)));
  }
  CallWrapper Wrapper(*F, From == Callers::None ? 0 : Depth, Hash, Sites);
  if (Hash)
    Wrapper.readCallersBehind(*Hash);
  if (From == Callers::Array)
    Wrapper.takeCallersFrom(F->getArg(Further + 1));
  Wrapper.wrap(Call, Site, P.passed());
  unpackFirst(*F);
  return F;
}

/// A site's descriptor may be needed before the module's constructor has run.
void CompactCalls::unpackFirst(Function &F) const {
  Instruction *First = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> B(First);
  Value *Field =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Packed, offsetof(gpuinstr_packed, unpacked));
  LoadInst *Done = B.CreateAlignedLoad(B.getInt32Ty(), Field, Align(4));
  Done->setAtomic(AtomicOrdering::Acquire);
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateIsNull(Done), First, /*Unreachable=*/false,
                                MDBuilder(M.getContext()).createUnlikelyBranchWeights());
  IRBuilder<>(Then).CreateCall(unpacker(M), {Packed});
}

/// (array, hash): the callers as they are, and behind them the one that this function takes.
Function *CompactCalls::reader() {
  const std::string Name = nameOf("__gpuinstr_callers_at_entry");
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Function *F = helper(Name, {PointerType::getUnqual(C), Type::getInt64Ty(C)});
  CallWrapper(*F, Depth, F->getArg(1), Sites).saveCallers(F->getArg(0));
  return F;
}

/// (number, array): before a call.
Function *CompactCalls::announcer() {
  const std::string Name = nameOf("__gpuinstr_announce");
  if (Function *Known = M.getFunction(Name))
    return Known;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Type *Number = Type::getInt32Ty(M.getContext());
  Function *F = helper(Name, {Number, Pointer});
  CallWrapper Wrapper(*F, Depth, nullptr, Sites);
  Wrapper.takeCallersFrom(F->getArg(1));
  Instruction *End = F->getEntryBlock().getTerminator();
  IRBuilder<> B(End);
  Wrapper.passOn(*End, siteOf(F->getArg(0), B));
  unpackFirst(*F);
  return F;
}

/// (array): after it.
Function *CompactCalls::restorer() {
  const std::string Name = nameOf("__gpuinstr_announced");
  if (Function *Known = M.getFunction(Name))
    return Known;
  Function *F = helper(Name, {PointerType::getUnqual(M.getContext())});
  CallWrapper Wrapper(*F, Depth, nullptr, Sites);
  Wrapper.takeCallersFrom(F->getArg(0));
  Wrapper.restore(*F->getEntryBlock().getTerminator());
  return F;
}

Value *CompactCalls::arrayOf(Function &F, uint64_t OwnHash) {
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.begin());
  AllocaInst *Array =
      B.CreateAlloca(ArrayType::get(B.getPtrTy(), Depth + 1), nullptr, "gpuinstr.callers");
  IRBuilder<> After(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  After.SetCurrentDebugLocation(CallWrapper::locationOf(F, nullptr));
  After.CreateCall(reader(), {Array, After.getInt64(OwnHash)});
  return Array;
}

void CompactCalls::announce(CallBase &Call, Constant *Number, Value *Array, const CallBase *Next) {
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(CallWrapper::locationOf(*Call.getFunction(), &Call));
  B.CreateCall(announcer(), {Number, Array});
  if (CallWrapper::isFinal(Call) || (Next && followsAtOnce(Call, *Next)))
    return;
  B.SetInsertPoint(CallWrapper::afterCall(Call));
  B.SetCurrentDebugLocation(CallWrapper::locationOf(*Call.getFunction(), &Call));
  B.CreateCall(restorer(), {Array});
}

bool CompactCalls::Share::takes(const PlannedCall &P) const {
  return P.What == PlannedCall::Announce ? Any : Calls && CompactCalls::takes(P);
}

CompactCalls::Share CompactCalls::shareOf(const PlannedFunction &Planned) const {
  const Function &F = *Planned.F;
  Share Is;
  Is.Announces =
      any_of(Planned.Calls, [](const PlannedCall &P) { return P.What == PlannedCall::Announce; });
  Is.Any = !F.isPresplitCoroutine() && !F.getName().starts_with("__gpuinstr_") &&
           (!Is.Announces || Depth);
  // A frame that an exception or longjmp left open is dropped by the next one in its place: all
  // calls of a function share one, or none has one there.
  Is.Calls = Is.Any && none_of(Planned.Calls, [](const PlannedCall &P) {
               return P.What == PlannedCall::Wrap && !CompactCalls::takes(P);
             });
  return Is;
}

BitVector CompactCalls::numbered(ArrayRef<PlannedFunction> Planned, std::size_t NumSites) const {
  BitVector Numbered(NumSites);
  for (const PlannedFunction &F : Planned) {
    if (!F.IsCompact)
      continue;
    const Share Is = shareOf(F);
    for (const PlannedCall &P : F.Calls)
      if (Is.takes(P))
        Numbered.set(P.Site);
  }
  return Numbered;
}

void CompactCalls::rewrite(PlannedFunction &Planned, unsigned Recorded, uint64_t OwnHash,
                           const DescriptorEmitter &Emitted) {
  Depth = Recorded;
  Sites = Emitted.numbered();
  Packed = Emitted.packed();
  Function &F = *Planned.F;
  const Share Is = shareOf(Planned);
  Callers From = !Depth || (!Planned.TakesCallers && !Is.Announces) ? Callers::None
                 : Is.Announces                                     ? Callers::Array
                                                                    : Callers::Hash;
  Value *Array = nullptr;
  std::vector<PlannedCall> Left;
  for (std::size_t I = 0; I < Planned.Calls.size(); ++I) {
    const PlannedCall &P = Planned.Calls[I];
    if (!Is.takes(P)) {
      Left.push_back(P);
      continue;
    }
    if (From == Callers::Array && !Array)
      Array = arrayOf(F, OwnHash);
    Constant *Number = ConstantInt::get(Type::getInt32Ty(M.getContext()), Emitted.number(P.Site));
    if (P.What == PlannedCall::Announce) {
      const PlannedCall *Next = I + 1 < Planned.Calls.size() ? &Planned.Calls[I + 1] : nullptr;
      announce(*P.Call, Number, Array,
               Next && Next->What == PlannedCall::Announce ? Next->Call : nullptr);
      continue;
    }
    SmallVector<Value *, 2> Further{Number};
    if (From == Callers::Array)
      Further.push_back(Array);
    callInstead(*P.Call, *thunk(P, From), Further);
  }
  Planned.Calls = std::move(Left);
}

} // namespace gpuinstr
