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
constexpr StringLiteral LoopMark = "gpuinstr.loop"; ///< on bodies that still need their loop

FunctionType *runType(LLVMContext &C) {
  Type *Ptr = PointerType::getUnqual(C);
  return FunctionType::get(Type::getVoidTy(C), {Ptr, Ptr, Type::getInt32Ty(C)}, false);
}

/// Nobody writes arguments while the kernel runs: the loads may leave the loop over the threads,
/// those behind a condition too when it is known that they cannot fault.
LoadInst *loadOnce(IRBuilder<> &B, Type *T, Value *From, uint64_t Dereferenceable = 0) {
  LoadInst *Load = B.CreateLoad(T, From);
  LLVMContext &C = B.getContext();
  Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(C, {}));
  if (Dereferenceable)
    Load->setMetadata(LLVMContext::MD_dereferenceable,
                      MDNode::get(C, ConstantAsMetadata::get(B.getInt64(Dereferenceable))));
  return Load;
}

/// The array of arguments can be read whole.
void markArguments(Function &F, unsigned Count) {
  if (Count)
    F.addParamAttr(1, Attribute::getWithDereferenceableBytes(F.getContext(), Count * 8));
}

/// The kernel called with its parameters, for one thread.
Function *addBody(Module &M, Function &Kernel, StringRef Name) {
  LLVMContext &C = M.getContext();
  Function *F = Function::Create(runType(C), GlobalValue::InternalLinkage, Name, &M);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  SmallVector<Value *, 8> Arguments{F->getArg(0)};
  for (unsigned I = 1; I < Kernel.arg_size(); ++I) {
    Argument *A = Kernel.getArg(I);
    Value *Slot = B.CreateConstInBoundsGEP1_64(B.getPtrTy(), F->getArg(1), I - 1);
    Type *T = A->hasByValAttr() ? A->getParamByValType() : A->getType();
    Value *Where = loadOnce(B, B.getPtrTy(), Slot, M.getDataLayout().getTypeAllocSize(T));
    if (A->hasByValAttr())
      Arguments.push_back(Where);
    else if (A->getType()->isIntegerTy(1))
      Arguments.push_back(B.CreateTrunc(loadOnce(B, B.getInt8Ty(), Where), B.getInt1Ty()));
    else
      Arguments.push_back(loadOnce(B, A->getType(), Where));
  }
  CallInst *Call = B.CreateCall(&Kernel, Arguments);
  for (unsigned I = 1; I < Kernel.arg_size(); ++I)
    if (Kernel.getArg(I)->hasByValAttr()) {
      Call->addParamAttr(I, Attribute::getWithByValType(C, Kernel.getParamByValType(I)));
      Call->addParamAttr(I, Attribute::getWithAlignment(C, Kernel.getParamAlign(I).valueOrOne()));
    }
  B.CreateRetVoid();
  markArguments(*F, Kernel.arg_size() - 1);
  Kernel.removeFnAttr(Attribute::NoInline);
  if (Kernel.hasLocalLinkage())
    Kernel.addFnAttr(Attribute::AlwaysInline);
  else
    Call->addFnAttr(Attribute::AlwaysInline);
  return F;
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
      Function *F = addBody(M, *Kernel, (SimPrefix + "run_" + K.Name).str());
      if (!(Out.Flags & GPUINSTR_SIM_NEEDS_FIBERS))
        F->addFnAttr(LoopMark);
      Out.Run = F->getName().str();
    }
    Unit.Kernels.push_back(std::move(Out));
  }
}

void finishRunners(Module &M) {
  Function *Template = M.getFunction(Loop);
  SmallVector<Function *, 8> Bodies;
  for (Function &F : M)
    if (F.hasFnAttribute(LoopMark))
      Bodies.push_back(&F);
  for (Function *F : Bodies) {
    F->removeFnAttr(LoopMark);
    F->addFnAttr(Attribute::AlwaysInline);
    ValueToValueMapTy Map;
    Map[M.getFunction(Body)] = F;
    Function *Run = CloneFunction(Template, Map);
    Run->setLinkage(GlobalValue::InternalLinkage);
    markArguments(*Run, F->getParamDereferenceableBytes(1) / 8);
    const std::string Name = F->getName().str();
    F->setName(Name + ".thread");
    Run->setName(Name);
    for (BasicBlock &Block : *Run)
      for (Instruction &I : Block)
        I.replaceUsesOfWith(M.getFunction(Body), F);
  }
  if (Template)
    Template->eraseFromParent();
  if (Function *Placeholder = M.getFunction(Body))
    Placeholder->eraseFromParent();
}

} // namespace gpuinstr
