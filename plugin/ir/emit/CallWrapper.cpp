// Puts enter and leave around calls, and caller descriptors before them.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/CallWrapper.h"
#include "compat/LLVMCompat.h"
#include "embed/BootstrapLinker.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Default visibility and linkonce, so that the dynamic linker makes one of it per process.
GlobalVariable *callersGlobal(Module &M) {
  if (GlobalVariable *Known = M.getNamedGlobal(GPUINSTR_CALLERS_SYMBOL))
    return Known;
  auto *Type = ArrayType::get(PointerType::getUnqual(M.getContext()), GPUINSTR_MAX_CALLERS);
  auto *G = new GlobalVariable(M, Type, false, GlobalValue::LinkOnceODRLinkage,
                               ConstantAggregateZero::get(Type), GPUINSTR_CALLERS_SYMBOL, nullptr,
                               GlobalValue::GeneralDynamicTLSModel);
  if (compat::targetTriple(M).supportsCOMDAT())
    G->setComdat(M.getOrInsertComdat(G->getName()));
  G->setAlignment(Align(8));
  return G;
}

} // namespace

CallWrapper::CallWrapper(Function &F, unsigned Depth, uint64_t OwnHash, Constant *Anything)
    : CallWrapper(F, Depth, ConstantInt::get(Type::getInt64Ty(F.getContext()), OwnHash), Anything) {
}

Instruction *CallWrapper::afterCall(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BasicBlock *From = Invoke->getParent(), *To = Invoke->getNormalDest();
    BasicBlock *Between =
        BasicBlock::Create(Call.getContext(), "gpuinstr.leave", From->getParent(), To);
    BranchInst *Branch = BranchInst::Create(To, Between);
    Branch->setDebugLoc(Call.getDebugLoc());
    Invoke->setNormalDest(Between);
    To->replacePhiUsesWith(From, Between);
    return Branch;
  }
  return Call.getNextNode();
}

/// A call without a location inside a function with debug information breaks the verifier once it
/// becomes direct.
DebugLoc CallWrapper::locationOf(const Function &F, const CallBase *Call) {
  if (Call && Call->getDebugLoc())
    return Call->getDebugLoc();
  if (DISubprogram *Subprogram = F.getSubprogram())
    return DILocation::get(F.getContext(), 0, 0, Subprogram);
  return DebugLoc();
}

Value *CallWrapper::fieldOf(IRBuilder<> &B, Value *Base, uint64_t Offset) {
  return Offset ? B.CreateInBoundsGEP(B.getInt8Ty(), Base, B.getInt64(Offset)) : Base;
}

Value *CallWrapper::callersArray(IRBuilder<> &B) {
  return B.CreateThreadLocalAddress(callersGlobal(*F.getParent()));
}

Value *CallWrapper::frame() {
  if (Frame)
    return Frame;
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.begin());
  AllocaInst *Alloca =
      B.CreateAlloca(ArrayType::get(B.getInt8Ty(), sizeof(gpuinstr_frame)), nullptr, "gpuinstr");
  Alloca->setAlignment(Align(8));
  Frame = Alloca;
  if (Depth)
    readCallers();
  IRBuilder<> After(&Entry, Taken ? std::next(cast<Instruction>(Taken)->getIterator())
                                  : Entry.getFirstNonPHIOrDbgOrAlloca());
  Value *Null = ConstantPointerNull::get(After.getPtrTy());
  constexpr uint64_t Callers = offsetof(gpuinstr_frame, callers);
  After.CreateStore(Taken ? Taken : Null, fieldOf(After, Frame, Callers));
  for (unsigned I = 1; Taken && I < Depth; ++I)
    After.CreateStore(Incoming[I], fieldOf(After, Frame, Callers + I * sizeof(void *)));
  if (Taken && Depth < GPUINSTR_MAX_CALLERS)
    After.CreateStore(Null, fieldOf(After, Frame, Callers + Depth * sizeof(void *)));
  return Frame;
}

/// Ignores a caller that was announced to another function, by comparing hashes. Anything stands in
/// for null, which has no hash to read.
void CallWrapper::readCallers() {
  if (CallersRead)
    return;
  CallersRead = true;
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry,
                Behind ? std::next(Behind->getIterator()) : Entry.getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(locationOf(F, nullptr));
  Value *Array = Saved ? Saved : callersArray(B);
  for (unsigned I = 0; I < Depth; ++I)
    Incoming[I] = B.CreateLoad(B.getPtrTy(), fieldOf(B, Array, I * sizeof(void *)));
  if (Saved) {
    Taken = B.CreateLoad(B.getPtrTy(), fieldOf(B, Saved, Depth * sizeof(void *)));
    return;
  }
  Value *Null = ConstantPointerNull::get(B.getPtrTy());
  Value *Readable = B.CreateSelect(B.CreateICmpEQ(Incoming[0], Null), Anything, Incoming[0]);
  Value *Hash =
      B.CreateLoad(B.getInt64Ty(), fieldOf(B, Readable, offsetof(gpuinstr_site, callee_hash)));
  Value *Mine = B.CreateOr(B.CreateICmpEQ(Hash, B.getInt64(0)), B.CreateICmpEQ(Hash, OwnHash));
  Taken = B.CreateSelect(Mine, Incoming[0], Null);
}

void CallWrapper::callTable(IRBuilder<> &B, uint64_t Offset, ArrayRef<Value *> Args) {
  SmallVector<Type *, 2> Types;
  for (Value *A : Args)
    Types.push_back(A->getType());
  FunctionType *Type = FunctionType::get(B.getVoidTy(), Types, false);
  Value *Target = B.CreateLoad(B.getPtrTy(), fieldOf(B, functionTable(*F.getParent()), Offset));
  B.CreateCall(Type, Target, Args)->setDoesNotThrow();
}

void CallWrapper::storeSlot(IRBuilder<> &B, unsigned Slot, Value *V) {
  Type *I64 = B.getInt64Ty();
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, I64);
  else if (V->getType()->isIntegerTy())
    V = Slot == GPUINSTR_SLOT_KIND ? B.CreateSExtOrTrunc(V, I64) : B.CreateZExtOrTrunc(V, I64);
  else
    return;
  B.CreateStore(V, fieldOf(B, Frame, offsetof(gpuinstr_frame, slot) + Slot * sizeof(uint64_t)));
}

/// {x, y} and {z} of a dim3, as the target passes it: split in two, in memory, or as an array.
void CallWrapper::storeDim3(IRBuilder<> &B, CallBase &Call, unsigned Slot, OperandPlace Place) {
  Value *First = Call.getArgOperand(Place.Index);
  Value *Z = nullptr;
  if (Place.Count == 2) {
    Z = Call.getArgOperand(Place.Index + 1);
  } else if (First->getType()->isPointerTy()) {
    Z = B.CreateAlignedLoad(B.getInt32Ty(), fieldOf(B, First, 8), Align(4));
    First = B.CreateAlignedLoad(B.getInt64Ty(), First, Align(4));
  } else if (First->getType()->isArrayTy()) {
    Z = B.CreateTrunc(B.CreateExtractValue(First, 1), B.getInt32Ty());
    First = B.CreateExtractValue(First, 0);
  } else {
    return;
  }
  storeSlot(B, Slot, First);
  storeSlot(B, Slot + 1, Z);
}

void CallWrapper::storeOperands(IRBuilder<> &B, CallBase &Call, const ApiEntry &Entry,
                                Constant *Func) {
  for (const ApiOperand &O : Entry.operands()) {
    std::optional<OperandPlace> Place = placeOf(Call, Entry, O.Param);
    if (!Place)
      continue;
    Value *V = Call.getArgOperand(Place->Index);
    if (O.Shape == ApiOperand::Dim3) {
      storeDim3(B, Call, O.Slot, *Place);
    } else if (O.Shape == ApiOperand::Triple) {
      Value *Y = B.CreateZExt(Call.getArgOperand(Place->Index + 1), B.getInt64Ty());
      Value *X = B.CreateZExt(V, B.getInt64Ty());
      storeSlot(B, O.Slot, B.CreateOr(X, B.CreateShl(Y, 32)));
      storeSlot(B, O.Slot + 1, Call.getArgOperand(Place->Index + 2));
    } else if (O.Slot == GPUINSTR_SLOT_FUNC && Func) {
      storeSlot(B, O.Slot, Func);
    } else if (O.Slot == GPUINSTR_SLOT_BYTES && Entry.Detail > 1 &&
               (Entry.Op == GPUINSTR_OP_SET || Entry.Op == GPUINSTR_OP_SET_2D)) {
      storeSlot(B, O.Slot, B.CreateMul(V, ConstantInt::get(V->getType(), Entry.Detail)));
    } else {
      storeSlot(B, O.Slot, V);
    }
  }
}

uint32_t CallWrapper::slotsOf(const CallBase &Call, const ApiEntry &Entry) {
  uint32_t Slots = 0;
  for (const ApiOperand &O : Entry.operands()) {
    std::optional<OperandPlace> Place = placeOf(Call, Entry, O.Param);
    if (!Place)
      continue;
    Type *T = Call.getArgOperand(Place->Index)->getType();
    if (!T->isPointerTy() && !T->isIntegerTy() && O.Shape != ApiOperand::Dim3)
      continue;
    Slots |= 1u << O.Slot;
    if (O.Shape != ApiOperand::Plain)
      Slots |= 1u << (O.Slot + 1);
  }
  return Slots;
}

bool CallWrapper::isFinal(const CallBase &Call) {
  return Call.isMustTailCall() || Call.doesNotReturn();
}

bool CallWrapper::hasPlainPointers(const CallBase &Call) {
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.isByValArgument(I) || Call.getArgOperand(I)->getType()->isAggregateType())
      return false;
  return !Call.getFunctionType()->isVarArg();
}

/// Into an array on the stack, as a launch has its arguments'; one for all calls of the function.
/// Those that lead to what is only read stand last.
void CallWrapper::storePointers(IRBuilder<> &B, CallBase &Call, uint64_t OnlyRead) {
  SmallVector<Value *, 12> Given, Read;
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    Value *Argument = Call.getArgOperand(I);
    if (Argument->getType()->isPointerTy() && !isa<ConstantPointerNull>(Argument))
      (I < 64 && OnlyRead >> I & 1 ? Read : Given).push_back(Argument);
  }
  Given.append(Read);
  auto *Type = ArrayType::get(B.getPtrTy(), Given.size());
  if (!Pointers) {
    BasicBlock &Entry = F.getEntryBlock();
    Pointers = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Type, nullptr, "gpuinstr.pointers");
  } else if (cast<ArrayType>(Pointers->getAllocatedType())->getNumElements() < Given.size()) {
    Pointers->setAllocatedType(Type);
  }
  for (unsigned I = 0; I < Given.size(); ++I)
    B.CreateStore(Given[I], fieldOf(B, Pointers, I * sizeof(void *)));
  storeSlot(B, GPUINSTR_SLOT_ARGS, Pointers);
  storeSlot(B, GPUINSTR_SLOT_PARAMS, B.getInt64(Given.size()));
  if (OnlyRead)
    storeSlot(B, GPUINSTR_SLOT_KIND, B.getInt64(Read.size()));
}

void CallWrapper::wrap(CallBase &Call, Value *Site, const Passed &What) {
  Value *TheFrame = frame();
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(locationOf(F, &Call));
  B.CreateStore(Site, fieldOf(B, TheFrame, offsetof(gpuinstr_frame, site)));
  if (What.Entry)
    storeOperands(B, Call, *What.Entry, What.Func);
  if (What.Pointers)
    storePointers(B, Call, What.OnlyRead);
  callTable(B, offsetof(gpuinstr_table, enter), {TheFrame});

  B.SetInsertPoint(afterCall(Call));
  B.SetCurrentDebugLocation(locationOf(F, &Call));
  Value *Result = B.getInt64(0);
  if (What.Result && Call.getType()->isIntegerTy())
    Result = B.CreateSExtOrTrunc(&Call, B.getInt64Ty());
  callTable(B, offsetof(gpuinstr_table, leave), {TheFrame, Result});
}

void CallWrapper::count(CallBase &Call, Constant *Site) {
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(locationOf(F, &Call));
  callTable(B, offsetof(gpuinstr_table, count), {Site});
}

void CallWrapper::beforeExit(CallBase &Call) {
  if (Call.arg_size() != 1 || !Call.getArgOperand(0)->getType()->isIntegerTy(32))
    return;
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(locationOf(F, &Call));
  Value *Code = Call.getArgOperand(0);
  const Function *Callee = Call.getCalledFunction();
  const bool Plain = Callee && Callee->getName() == "exit";
  if (Plain || (Callee && Callee->getName() == "quick_exit"))
    Code = B.CreateOr(B.CreateAnd(Code, B.getInt32(0xff)),
                      B.getInt32(GPUINSTR_QUICK_EXIT | (Plain ? GPUINSTR_PLAIN_EXIT : 0)));
  callTable(B, offsetof(gpuinstr_table, before_exit), {Code});
}

void CallWrapper::saveCallers(Value *Array) {
  readCallers();
  IRBuilder<> B(F.getEntryBlock().getTerminator());
  for (unsigned I = 0; I < Depth; ++I)
    B.CreateStore(Incoming[I], fieldOf(B, Array, I * sizeof(void *)));
  B.CreateStore(Taken, fieldOf(B, Array, Depth * sizeof(void *)));
}

void CallWrapper::passOn(Instruction &Before, Value *Site, bool Restores) {
  if (Restores)
    readCallers();
  // The last one: who called this function, which a wrapper behind it may ask for.
  const unsigned Known = Restores ? Depth : 0;
  const unsigned Written = std::min<unsigned>(Known + 2, GPUINSTR_MAX_CALLERS);
  IRBuilder<> B(&Before);
  B.SetCurrentDebugLocation(locationOf(F, dyn_cast<CallBase>(&Before)));
  Value *Null = ConstantPointerNull::get(B.getPtrTy());
  Value *Array = callersArray(B);
  for (unsigned I = 0; I < Written; ++I) {
    Value *V = Null;
    if (I == 0)
      V = Site;
    else if (I <= Known)
      V = I == 1 ? Taken : Incoming[I - 1];
    B.CreateStore(V, fieldOf(B, Array, I * sizeof(void *)));
  }
}

void CallWrapper::restore(Instruction &Before) {
  readCallers();
  IRBuilder<> B(&Before);
  B.SetCurrentDebugLocation(locationOf(F, nullptr));
  Value *Array = callersArray(B);
  for (unsigned I = 0; I < Depth; ++I)
    B.CreateStore(Incoming[I], fieldOf(B, Array, I * sizeof(void *)));
}

void CallWrapper::announce(CallBase &Call, Constant *Site) {
  // A coroutine may resume on another thread, where the callers read at its start do not hold.
  bool Restores = !F.isPresplitCoroutine();
  passOn(Call, Site, Restores);
  if (isFinal(Call) || !Restores)
    return;
  IRBuilder<> B(afterCall(Call));
  B.SetCurrentDebugLocation(locationOf(F, &Call));
  Value *Array = callersArray(B);
  for (unsigned I = 0; I < Depth; ++I)
    B.CreateStore(Incoming[I], fieldOf(B, Array, I * sizeof(void *)));
}

} // namespace gpuinstr
