// Splits a kernel where its threads wait, so that none needs a stack of its own.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/steps/ContinuationSplit.h"
#include "simulate/lower/KernelCall.h"
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

/// Recursive functions cannot be inlined to the end.
constexpr unsigned MaxInlined = 200, MaxGrowth = 20000;
constexpr unsigned MaxSuspendPoints = 400;

Function *createStep(Function &Kernel) {
  LLVMContext &C = Kernel.getContext();
  Type *Ptr = PointerType::getUnqual(C);
  SmallVector<Type *, 8> Types{Ptr, Ptr, Ptr, Ptr};
  for (unsigned I = 1; I < Kernel.arg_size(); ++I)
    Types.push_back(Kernel.getArg(I)->getType());
  StringRef Name = Kernel.getName();
  Name.consume_front(SimPrefix);
  auto *Step = Function::Create(FunctionType::get(Type::getVoidTy(C), Types, false),
                                GlobalValue::InternalLinkage, SimPrefix + "step_" + Name,
                                Kernel.getParent());
  Step->addFnAttr(Attribute::NoUnwind);
  // Nothing but this call reaches the values.
  Step->addParamAttr(1, Attribute::NoAlias);
  IRBuilder<> B(BasicBlock::Create(C, "", Step));
  SmallVector<Value *, 8> Values;
  for (unsigned I = 4; I < Step->arg_size(); ++I)
    Values.push_back(Step->getArg(I));
  callKernel(B, Kernel, Step->getArg(0), Values);
  B.CreateRetVoid();
  return Step;
}

/// Inlines the kernel, and all functions that wait, into Step.
bool inlineWaiting(Function &Step, const Function &Kernel, Lowering &Low) {
  const unsigned MaxSize = 2 * Kernel.getInstructionCount() + MaxGrowth;
  for (unsigned Done = 0; Done < MaxInlined && Step.getInstructionCount() < MaxSize; ++Done) {
    CallInst *Next = nullptr;
    for (Instruction &I : instructions(Step))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (Function *Callee = Call->getCalledFunction())
          if (!Callee->isDeclaration() && Callee->getName().starts_with(SimPrefix) &&
              (Callee == &Kernel || Low.withCallees(Callee).Waits)) {
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
bool canBeSplit(Function &F) {
  unsigned Points = 0;
  for (Instruction &I : instructions(F)) {
    if (const auto *A = dyn_cast<AllocaInst>(&I))
      if (!A->isStaticAlloca())
        return false;
    if (const auto *Known = dyn_cast<IntrinsicInst>(&I))
      if (Known->getIntrinsicID() == Intrinsic::stacksave)
        return false;
    if (const auto *Call = dyn_cast<CallInst>(&I)) {
      const SuspendKind Kind = suspendKind(*Call);
      if (Kind == SuspendKind::Other || (Kind != SuspendKind::None && ++Points > MaxSuspendPoints))
        return false;
    }
  }
  return true;
}

} // namespace

SuspendKind suspendKind(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  if (Name == "__gpuinstr_sim_wait")
    return SuspendKind::Poll;
  if (!Name.consume_front("__gpuinstr_nvvm_"))
    return SuspendKind::None;
  for (StringRef Start : {"shfl_", "vote_", "activemask", "match_", "redux_", "bar_warp_sync"})
    if (Name.starts_with(Start))
      return SuspendKind::Warp;
  if (!Name.starts_with("bar"))
    return SuspendKind::None;
  const auto IsZero = [&](unsigned I) {
    const auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(I));
    return Number && Number->isZero();
  };
  // Behind the thread: the barrier's number, where it has one, and how many threads it is for.
  if (Name.starts_with("barrier0"))
    return SuspendKind::Barrier;
  const bool OfAll = Name == "barrier_sync" || Name == "barrier_n" || Name == "bar_sync" ||
                     (Name.starts_with("barrier_cta_") && Name.ends_with("_all"));
  if (OfAll ? IsZero(1) : Name == "barrier" && IsZero(1) && IsZero(2))
    return SuspendKind::Barrier;
  return SuspendKind::Other;
}

ContinuationSplit splitKernel(Function &Kernel, Lowering &Low) {
  ContinuationSplit Made;
  Function *Step = createStep(Kernel);
  bool Right = inlineWaiting(*Step, Kernel, Low);
  if (Right) {
    simplify(*Step);
    Right = canBeSplit(*Step) && splitFunction(*Step, Made) && !verifyFunction(*Step);
  }
  if (Right)
    Made.Step = Step;
  else
    Step->eraseFromParent();
  return Made;
}

} // namespace gpuinstr
