// Builds one function per kernel that loads its parameters and runs many of its threads.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/KernelEntryPoints.h"
#include "gpuinstr/simulated_kernel.h"
#include "simulate/lower/KernelCall.h"
#include "simulate/steps/ContinuationSplit.h"
#include "simulate/vectorize/VectorizeRows.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// The library's loop over threads, and what it calls of the kernel.
struct Template {
  StringLiteral Loop, Body;
};
constexpr Template Whole = {"__gpuinstr_sim_loop", "__gpuinstr_sim_body"};
constexpr Template InSteps = {"__gpuinstr_sim_phase", "__gpuinstr_sim_step"};
/// Attributes of entry points without a body: the kernel, and its step function if it has one.
constexpr StringLiteral KernelOf = "gpuinstr.kernel", StepOf = "gpuinstr.step";
/// Bytes; larger parameters are rare, and would cost time in each block.
constexpr unsigned MaxCopied = 512;

FunctionType *runType(LLVMContext &C) {
  Type *Ptr = PointerType::getUnqual(C);
  return FunctionType::get(Type::getVoidTy(C), {Ptr, Ptr, Type::getInt32Ty(C)}, false);
}

/// The kernel's parameters, read through the array of pointers to them.
SmallVector<Value *, 8> loadParameters(IRBuilder<> &B, Function &Kernel, Value *Pointers) {
  SmallVector<Value *, 8> Values;
  for (unsigned I = 1; I < Kernel.arg_size(); ++I) {
    const Argument *A = Kernel.getArg(I);
    Value *Slot = B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Pointers, I - 1);
    Value *Where = B.CreateLoad(B.getPtrTy(), Slot);
    if (A->hasByValAttr())
      Values.push_back(Where);
    else if (A->getType()->isIntegerTy(1))
      Values.push_back(B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Where), B.getInt1Ty()));
    else
      Values.push_back(B.CreateLoad(A->getType(), Where));
  }
  return Values;
}

/// Structures by value, which each thread copies, copied once before the loop: nothing else reaches
/// that copy, and LLVM makes values of it.
void keepOutOfReach(IRBuilder<> &B, const Function &Kernel, MutableArrayRef<Value *> Values) {
  const DataLayout &DL = Kernel.getParent()->getDataLayout();
  for (unsigned I = 1; I < Kernel.arg_size(); ++I) {
    Type *T = Kernel.getParamByValType(I);
    if (!T || DL.getTypeAllocSize(T) > MaxCopied)
      continue;
    AllocaInst *Copy = B.CreateAlloca(T);
    Copy->setAlignment(std::max(Copy->getAlign(), Kernel.getParamAlign(I).valueOrOne()));
    B.CreateMemCpy(Copy, Copy->getAlign(), Values[I - 1], Align(1), DL.getTypeAllocSize(T));
    Values[I - 1] = Copy;
  }
}

/// An entry point that runs one thread.
void fillSingle(Function &Run, Function &Kernel) {
  IRBuilder<> B(BasicBlock::Create(Run.getContext(), "", &Run));
  callKernel(B, Kernel, Run.getArg(0), loadParameters(B, Kernel, Run.getArg(1)));
  B.CreateRetVoid();
}

/// An entry point that runs many: the library's loop around the kernel. The parameters are loaded
/// before it: LLVM must assume that the kernel's stores may change them.
void fillLoop(Function &Run, Function &Kernel, Function *Step) {
  Module &M = *Run.getParent();
  const Template &From = Step ? InSteps : Whole;
  Function &Loop = *M.getFunction(From.Loop);
  ValueToValueMapTy Map;
  for (unsigned I = 0; I < Loop.arg_size(); ++I)
    Map[Loop.getArg(I)] = Run.getArg(I);
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(&Run, &Loop, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Run.setLinkage(GlobalValue::InternalLinkage);
  CallInst *Place = nullptr;
  for (BasicBlock &Block : Run)
    for (Instruction &I : Block)
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (Call->getCalledFunction() && Call->getCalledFunction()->getName() == From.Body)
          Place = Call;
  IRBuilder<> B(&*Run.getEntryBlock().getFirstInsertionPt());
  SmallVector<Value *, 8> Values = loadParameters(B, Kernel, Run.getArg(1));
  Instruction *Ready = &*B.GetInsertPoint();
  B.SetInsertPoint(Place);
  if (Step) {
    Value *Frame = Place->getArgOperand(2);
    Values.insert(Values.begin(), {Place->getArgOperand(0), Frame, Frame, Place->getArgOperand(3)});
    B.CreateCall(Step, Values);
  } else {
    B.SetInsertPoint(Ready);
    keepOutOfReach(B, Kernel, Values);
    B.SetInsertPoint(Place);
    callKernel(B, Kernel, Place->getArgOperand(0), Values);
    DominatorTree Tree(Run);
    markRow(*LoopInfo(Tree).getLoopFor(Place->getParent()));
  }
  Place->eraseFromParent();
}

void layOut(const Module &M, const Function &Kernel, EmbeddedKernel &Out) {
  const DataLayout &DL = M.getDataLayout();
  uint64_t End = 0;
  for (unsigned I = 1; I < Kernel.arg_size(); ++I) {
    const Argument *A = Kernel.getArg(I);
    Type *T = A->hasByValAttr() ? A->getParamByValType() : A->getType();
    Align Alignment = DL.getABITypeAlign(T);
    if (A->hasByValAttr())
      Alignment = std::max(Alignment, A->getParamAlign().valueOrOne());
    const uint64_t Bytes = DL.getTypeAllocSize(T);
    const uint64_t Offset = alignTo(End, Alignment);
    Out.Parameters.push_back({static_cast<uint32_t>(Offset), static_cast<uint32_t>(Bytes)});
    End = Offset + Bytes;
  }
}

void addEntryPoint(Module &M, Function &Kernel, const FunctionFacts &Sum, Lowering &Low,
                   EmbeddedKernel &Out) {
  const bool Alone = !Sum.Waits && !Sum.OpenCalls;
  ContinuationSplit Split;
  if (Sum.Waits && !Sum.OpenCalls && Out.Refused.empty())
    Split = splitKernel(Kernel, Low);
  Out.FrameBytes = Split.FrameBytes;
  Out.Flags = Split.Step ? Split.Flags : Alone ? 0 : GPUINSTR_SIM_NEEDS_FIBERS;
  if (Sum.OpenCalls)
    Out.Flags |= GPUINSTR_SIM_OPEN_CALLS;
  if (!Out.Refused.empty())
    return;
  Out.Run = (RunPrefix + Out.Name).str();
  Function *Run =
      Function::Create(runType(M.getContext()), GlobalValue::InternalLinkage, Out.Run, &M);
  Run->addFnAttr(Attribute::NoUnwind);
  if (!Split.Step && !Alone)
    return fillSingle(*Run, Kernel);
  // The loop is linked in later.
  Run->setLinkage(GlobalValue::ExternalLinkage);
  Run->addFnAttr(KernelOf, Kernel.getName());
  if (Split.Step)
    Run->addFnAttr(StepOf, Split.Step->getName());
}

} // namespace

void addEntryPoints(Module &M, const DeviceFacts &Facts, Lowering &Low, EmbeddedUnit &Unit) {
  LLVMContext &C = M.getContext();
  for (const Template *T : {&Whole, &InSteps})
    M.getOrInsertFunction(T->Loop, runType(C));
  for (const DeviceFacts::Kernel &K : Facts.Kernels) {
    Function *Kernel = M.getFunction((SimPrefix + K.Name).str());
    if (!Kernel)
      continue;
    const FunctionFacts Sum = Low.withCallees(Kernel);
    EmbeddedKernel Out;
    Out.Name = K.Name;
    Out.Refused = Sum.Refused;
    Out.MaxThreads = K.MaxThreads;
    for (unsigned S : Sum.Shared)
      Out.SharedBytes += Low.shared()[S].Bytes;
    layOut(M, *Kernel, Out);
    addEntryPoint(M, *Kernel, Sum, Low, Out);
    Unit.Kernels.push_back(std::move(Out));
  }
}

void finishEntryPoints(Module &M) {
  SmallVector<Function *, 8> Empty;
  for (Function &F : M)
    if (F.hasFnAttribute(KernelOf))
      Empty.push_back(&F);
  const auto Named = [&](const Function &Run, StringRef Mark) {
    return M.getFunction(Run.getFnAttribute(Mark).getValueAsString());
  };
  for (Function *Run : Empty) {
    fillLoop(*Run, *Named(*Run, KernelOf),
             Run->hasFnAttribute(StepOf) ? Named(*Run, StepOf) : nullptr);
    Run->removeFnAttr(KernelOf);
    Run->removeFnAttr(StepOf);
  }
  for (const Template *T : {&Whole, &InSteps}) {
    if (Function *Loop = M.getFunction(T->Loop))
      Loop->eraseFromParent();
    if (Function *Body = M.getFunction(T->Body); Body && Body->use_empty())
      Body->eraseFromParent();
  }
}

} // namespace gpuinstr
