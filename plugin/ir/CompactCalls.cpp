// The short form of enter, leave and callers, for modules of many sites.
// SPDX-License-Identifier: Apache-2.0
#include "ir/CompactCalls.h"
#include "ir/emit/CallWrapper.h"
#include "llvm/IR/IRBuilder.h"

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

} // namespace

bool CompactCalls::takes(const PlannedCall &P) {
  const Function *Callee = ModuleView::callee(*P.Call);
  return P.What == PlannedCall::Wrap && (P.Entry || P.IsHeaderWrapper) && !P.Func && Callee &&
         !Callee->isVarArg() && !P.Call->hasOperandBundles() &&
         P.Call->getFunctionType() == Callee->getFunctionType() &&
         P.Call->getCalledOperand() == Callee;
}

bool wantsCompactCalls(ArrayRef<PlannedFunction> Planned, unsigned FewestSites) {
  unsigned Sites = 0;
  for (const PlannedFunction &F : Planned)
    for (const PlannedCall &P : F.Calls)
      Sites += CompactCalls::takes(P) || P.What == PlannedCall::Announce;
  return Sites >= FewestSites;
}

/// Wrappers have deeper ones.
std::string CompactCalls::nameOf(StringRef Helper) const {
  return (Depth == GPUINSTR_MAX_CALLERS ? Helper + ".deep" : Twine(Helper)).str();
}

Function *CompactCalls::helper(StringRef Name, ArrayRef<Type *> Types) {
  auto *Type = FunctionType::get(llvm::Type::getVoidTy(M.getContext()), Types, false);
  // With the module's own attributes, so that a debugger's backtrace passes through.
  Function *F = Function::createWithDefaultAttr(
      Type, GlobalValue::InternalLinkage, M.getDataLayout().getProgramAddressSpace(), Name, &M);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<>(BasicBlock::Create(M.getContext(), "", F)).CreateRetVoid();
  return F;
}

Function *CompactCalls::thunk(const PlannedCall &P, Callers From) {
  Function &Callee = *ModuleView::callee(*P.Call);
  Function *&F = Thunks[{&Callee, unsigned(From), From == Callers::None ? 0 : Depth}];
  if (F)
    return F;
  LLVMContext &C = M.getContext();
  Type *Pointer = PointerType::getUnqual(C);
  SmallVector<Type *, 12> Types(Callee.getFunctionType()->params());
  Types.push_back(Pointer);
  if (From != Callers::None)
    Types.push_back(From == Callers::Hash ? Type::getInt64Ty(C) : Pointer);
  F = Function::createWithDefaultAttr(FunctionType::get(Callee.getReturnType(), Types, false),
                                      GlobalValue::InternalLinkage, Callee.getAddressSpace(),
                                      "__gpuinstr_site." + Callee.getName(), &M);
  F->addFnAttr(Attribute::NoInline);
  if (Callee.doesNotThrow())
    F->addFnAttr(Attribute::NoUnwind);
  F->setCallingConv(Callee.getCallingConv());
  for (unsigned I = 0; I < Callee.arg_size(); ++I)
    for (const Attribute &A : Callee.getAttributes().getParamAttrs(I))
      F->addParamAttr(I, A);
  CallInst &Call = callFrom(*F, Callee);
  unsigned Further = Callee.arg_size();
  CallWrapper Wrapper(*F, From == Callers::None ? 0 : Depth,
                      From == Callers::Hash ? F->getArg(Further + 1) : nullptr, Anything);
  if (From == Callers::Array)
    Wrapper.takeCallersFrom(F->getArg(Further + 1));
  Wrapper.wrap(Call, F->getArg(Further), P.Entry, nullptr, P.PassResult);
  return F;
}

/// (array, hash): the callers as they are, and behind them the one that this function takes.
Function *CompactCalls::reader() {
  const std::string Name = nameOf("__gpuinstr_callers_at_entry");
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Function *F = helper(Name, {PointerType::getUnqual(C), Type::getInt64Ty(C)});
  CallWrapper(*F, Depth, F->getArg(1), Anything).saveCallers(F->getArg(0));
  return F;
}

/// (site, array): before a call.
Function *CompactCalls::announcer() {
  const std::string Name = nameOf("__gpuinstr_announce");
  if (Function *Known = M.getFunction(Name))
    return Known;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  Function *F = helper(Name, {Pointer, Pointer});
  CallWrapper Wrapper(*F, Depth, nullptr, Anything);
  Wrapper.takeCallersFrom(F->getArg(1));
  Wrapper.passOn(*F->getEntryBlock().getTerminator(), F->getArg(0));
  return F;
}

/// (array): after it.
Function *CompactCalls::restorer() {
  const std::string Name = nameOf("__gpuinstr_announced");
  if (Function *Known = M.getFunction(Name))
    return Known;
  Function *F = helper(Name, {PointerType::getUnqual(M.getContext())});
  CallWrapper Wrapper(*F, Depth, nullptr, Anything);
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

void CompactCalls::announce(CallBase &Call, Constant *Site, Value *Array) {
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(CallWrapper::locationOf(*Call.getFunction(), &Call));
  B.CreateCall(announcer(), {Site, Array});
  if (CallWrapper::isFinal(Call))
    return;
  B.SetInsertPoint(CallWrapper::afterCall(Call));
  B.SetCurrentDebugLocation(CallWrapper::locationOf(*Call.getFunction(), &Call));
  B.CreateCall(restorer(), {Array});
}

void CompactCalls::rewrite(PlannedFunction &Planned, unsigned Recorded, uint64_t OwnHash,
                           const DescriptorEmitter &Sites) {
  Depth = Recorded;
  Function &F = *Planned.F;
  bool Announces =
      any_of(Planned.Calls, [](const PlannedCall &P) { return P.What == PlannedCall::Announce; });
  if (F.isPresplitCoroutine() || F.getName().starts_with("__gpuinstr_") || (Announces && !Depth))
    return;
  // A frame that an exception or longjmp left open is dropped by the next one in its place: all
  // calls of a function share one, or none has one there.
  bool Shares = none_of(
      Planned.Calls, [](const PlannedCall &P) { return P.What == PlannedCall::Wrap && !takes(P); });
  Callers From = !Depth || (!Planned.TakesCallers && !Announces) ? Callers::None
                 : Announces || Planned.IsWrapper                ? Callers::Array
                                                                 : Callers::Hash;
  Value *Array = nullptr;
  std::vector<PlannedCall> Left;
  for (const PlannedCall &P : Planned.Calls) {
    bool IsAnnounce = P.What == PlannedCall::Announce;
    if (!IsAnnounce && !(Shares && takes(P))) {
      Left.push_back(P);
      continue;
    }
    if (From == Callers::Array && !Array)
      Array = arrayOf(F, OwnHash);
    if (IsAnnounce) {
      announce(*P.Call, Sites.address(P.Site), Array);
      continue;
    }
    SmallVector<Value *, 2> Further{Sites.address(P.Site)};
    if (From == Callers::Hash)
      Further.push_back(ConstantInt::get(Type::getInt64Ty(M.getContext()), OwnHash));
    else if (From == Callers::Array)
      Further.push_back(Array);
    callInstead(*P.Call, *thunk(P, From), Further);
  }
  Planned.Calls = std::move(Left);
}

} // namespace gpuinstr
