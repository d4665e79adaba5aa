// Kernels that wait only at barriers of the whole block: one function that runs a thread in steps.
// SPDX-License-Identifier: Apache-2.0
#include "Steps.h"
#include "Runners.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Barriers in functions that call themselves cannot all be brought into the kernel.
constexpr unsigned MaxInlined = 200;

Function *createStep(Function &Kernel) {
  LLVMContext &C = Kernel.getContext();
  Type *Ptr = PointerType::getUnqual(C);
  SmallVector<Type *, 8> Types{Ptr, Ptr, Ptr};
  for (unsigned I = 1; I < Kernel.arg_size(); ++I)
    Types.push_back(Kernel.getArg(I)->getType());
  StringRef Name = Kernel.getName();
  Name.consume_front(SimPrefix);
  auto *Step = Function::Create(FunctionType::get(Type::getVoidTy(C), Types, false),
                                GlobalValue::InternalLinkage, SimPrefix + "step_" + Name,
                                Kernel.getParent());
  Step->addFnAttr(Attribute::NoUnwind);
  // Only this thread's own values: memory whose address is taken lies elsewhere.
  Step->addParamAttr(1, Attribute::NoAlias);
  IRBuilder<> B(BasicBlock::Create(C, "", Step));
  SmallVector<Value *, 8> Values;
  for (unsigned I = 3; I < Step->arg_size(); ++I)
    Values.push_back(Step->getArg(I));
  callKernel(B, Kernel, Step->getArg(0), Values);
  B.CreateRetVoid();
  return Step;
}

/// Brings the kernel and all functions with barriers into Step.
bool inlineBarriers(Function &Step, const Function &Kernel, Lowering &Low) {
  for (unsigned Done = 0; Done < MaxInlined; ++Done) {
    CallInst *Next = nullptr;
    for (Instruction &I : instructions(Step))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (Function *Callee = Call->getCalledFunction())
          if (!Callee->isDeclaration() && Callee->getName().starts_with(SimPrefix) &&
              (Callee == &Kernel || Low.closure(Callee).Barriers)) {
            Next = Call;
            break;
          }
    if (!Next)
      return true;
    InlineFunctionInfo Info;
    if (!InlineFunction(*Next, Info).isSuccess())
      return false;
  }
  return false;
}

/// Makes values of memory: what stays memory must lie in the frame.
void simplify(Function &F) {
  PassBuilder Builder;
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Graph;
  ModuleAnalysisManager Modules;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Graph);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Graph, Modules);
  FunctionPassManager Passes;
  Passes.addPass(SimplifyCFGPass());
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass());
  Passes.addPass(InstCombinePass());
  Passes.addPass(SimplifyCFGPass());
  Passes.run(F, Functions);
}

/// Memory of a size that is known only when the kernel runs has no place in a frame.
bool hasDynamicMemory(Function &F) {
  for (Instruction &I : instructions(F)) {
    if (const auto *A = dyn_cast<AllocaInst>(&I))
      if (!A->isStaticAlloca())
        return true;
    if (const auto *Known = dyn_cast<IntrinsicInst>(&I))
      if (Known->getIntrinsicID() == Intrinsic::stacksave)
        return true;
  }
  return false;
}

} // namespace

SmallVector<CallInst *, 8> blockBarriers(Function &F) {
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (const Function *Callee = Call->getCalledFunction()) {
        StringRef Name = Callee->getName();
        if (Name.consume_front("__gpuinstr_nvvm_") &&
            isBlockBarrier(Name, Call->arg_size() > 1 ? Call->getArgOperand(1) : nullptr))
          Calls.push_back(Call);
      }
  return Calls;
}

Steps makeSteps(Function &Kernel, Lowering &Low) {
  Steps Made;
  Function *Step = createStep(Kernel);
  bool Right = inlineBarriers(*Step, Kernel, Low);
  if (Right) {
    simplify(*Step);
    Right =
        !hasDynamicMemory(*Step) && cutAtBarriers(*Step, Made.FrameBytes) && !verifyFunction(*Step);
  }
  if (Right)
    Made.Step = Step;
  else
    Step->eraseFromParent();
  return Made;
}

} // namespace gpuinstr
