// One function for each kernel that runs threads of it: parameters loaded, loop around the body.
// SPDX-License-Identifier: Apache-2.0
#include "Runners.h"
#include "gpuinstr/simulated_kernel.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr StringLiteral Loop = "__gpuinstr_sim_loop", Body = "__gpuinstr_sim_body";
constexpr StringLiteral KernelOf = "gpuinstr.kernel"; ///< on runners without a body: their kernel

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

/// Calls the kernel for one thread, to be inlined. Parameters by value are copied by each call.
void callKernel(IRBuilder<> &B, Function &Kernel, Value *Thread, ArrayRef<Value *> Values) {
  SmallVector<Value *, 8> Arguments{Thread};
  Arguments.append(Values.begin(), Values.end());
  CallInst *Call = B.CreateCall(&Kernel, Arguments);
  LLVMContext &C = B.getContext();
  for (unsigned I = 1; I < Kernel.arg_size(); ++I)
    if (Kernel.getArg(I)->hasByValAttr()) {
      Call->addParamAttr(I, Attribute::getWithByValType(C, Kernel.getParamByValType(I)));
      Call->addParamAttr(I, Attribute::getWithAlignment(C, Kernel.getParamAlign(I).valueOrOne()));
    }
  Kernel.removeFnAttr(Attribute::NoInline);
  Call->addFnAttr(Attribute::AlwaysInline);
}

/// A runner of one thread.
void fillSingle(Function &Run, Function &Kernel) {
  IRBuilder<> B(BasicBlock::Create(Run.getContext(), "", &Run));
  callKernel(B, Kernel, Run.getArg(0), loadParameters(B, Kernel, Run.getArg(1)));
  B.CreateRetVoid();
}

/// A runner of many: the library's loop around the kernel. The parameters are loaded before it, as
/// the kernel's stores might change them for all that LLVM knows.
void fillLoop(Function &Run, Function &Kernel, Function &Template, Function &Placeholder) {
  ValueToValueMapTy Map;
  for (unsigned I = 0; I < Template.arg_size(); ++I)
    Map[Template.getArg(I)] = Run.getArg(I);
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(&Run, &Template, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Run.setLinkage(GlobalValue::InternalLinkage);
  CallInst *Place = nullptr;
  for (BasicBlock &Block : Run)
    for (Instruction &I : Block)
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (Call->getCalledFunction() == &Placeholder)
          Place = Call;
  IRBuilder<> B(&*Run.getEntryBlock().getFirstInsertionPt());
  const SmallVector<Value *, 8> Values = loadParameters(B, Kernel, Run.getArg(1));
  B.SetInsertPoint(Place);
  callKernel(B, Kernel, Place->getArgOperand(0), Values);
  Place->eraseFromParent();
}

void layOut(const Module &M, const Function &Kernel, CarriedKernel &Out) {
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

} // namespace

void addRunners(Module &M, const DeviceFacts &Facts, Lowering &Low, CarriedUnit &Unit) {
  LLVMContext &C = M.getContext();
  M.getOrInsertFunction(Loop, runType(C));
  for (const DeviceFacts::Kernel &K : Facts.Kernels) {
    Function *Kernel = M.getFunction((SimPrefix + K.Name).str());
    if (!Kernel)
      continue;
    const FunctionFacts Sum = Low.closure(Kernel);
    CarriedKernel Out;
    Out.Name = K.Name;
    Out.Refused = Sum.Refused;
    Out.MaxThreads = K.MaxThreads;
    Out.Flags = (Sum.Waits || Sum.OpenCalls ? GPUINSTR_SIM_NEEDS_FIBERS : 0) |
                (Sum.OpenCalls ? GPUINSTR_SIM_OPEN_CALLS : 0);
    for (unsigned S : Sum.Shared)
      Out.SharedBytes += Low.shared()[S].Bytes;
    layOut(M, *Kernel, Out);
    if (Out.Refused.empty()) {
      Out.Run = (SimPrefix + "run_" + K.Name).str();
      Function *Run = Function::Create(runType(C), GlobalValue::InternalLinkage, Out.Run, &M);
      Run->addFnAttr(Attribute::NoUnwind);
      if (Out.Flags & GPUINSTR_SIM_NEEDS_FIBERS) {
        fillSingle(*Run, *Kernel);
      } else { // the loop is linked in later
        Run->setLinkage(GlobalValue::ExternalLinkage);
        Run->addFnAttr(KernelOf, Kernel->getName());
      }
    }
    Unit.Kernels.push_back(std::move(Out));
  }
}

void finishRunners(Module &M) {
  Function *Template = M.getFunction(Loop), *Placeholder = M.getFunction(Body);
  SmallVector<Function *, 8> Empty;
  for (Function &F : M)
    if (F.hasFnAttribute(KernelOf))
      Empty.push_back(&F);
  for (Function *Run : Empty) {
    Function *Kernel = M.getFunction(Run->getFnAttribute(KernelOf).getValueAsString());
    if (Kernel && Template && Placeholder)
      fillLoop(*Run, *Kernel, *Template, *Placeholder);
    Run->removeFnAttr(KernelOf);
  }
  if (Template)
    Template->eraseFromParent();
  if (Placeholder && Placeholder->use_empty())
    Placeholder->eraseFromParent();
}

} // namespace gpuinstr
