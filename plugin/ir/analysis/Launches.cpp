// Finds kernel<<<...>>>(...) in host code.
// SPDX-License-Identifier: Apache-2.0
//
// Both compilers write `if (!__cudaPushCallConfiguration(...)) stub(arguments);`. At the start of
// the pipeline this is a comparison with zero and a branch; the arguments' evaluation may put more
// blocks, calls and invokes between the branch and the stub's call.
#include "ir/analysis/Launches.h"
#include "ir/analysis/ModuleView.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// The branch on the result of Push, through the comparison and casts.
BranchInst *branchOn(Value &Result) {
  for (User *U : Result.users()) {
    if (auto *Branch = dyn_cast<BranchInst>(U))
      return Branch;
    if (isa<CmpInst>(U) || isa<CastInst>(U) || isa<BinaryOperator>(U))
      if (BranchInst *Branch = branchOn(*U))
        return Branch;
  }
  return nullptr;
}

/// Besides what counts for a profile.
bool onlyBranches(const BasicBlock &B) {
  return isa<BranchInst>(B.getTerminator()) && B.getTerminator()->getNumSuccessors() == 1 &&
         all_of(B, [](const Instruction &I) {
           return I.isTerminator() || isa<PHINode>(I) || isa<DbgInfoIntrinsic>(I) ||
                  isa<InstrProfInstBase>(I) || isa<PseudoProbeInst>(I);
         });
}

bool isRealCall(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm();
}

/// Blocks between the branch and the point where both paths join again; unwinding is no path.
void collectGuarded(BasicBlock *From, BasicBlock *Join, SmallPtrSetImpl<BasicBlock *> &Blocks,
                    SmallVectorImpl<CallBase *> &Calls) {
  SmallVector<BasicBlock *, 8> Work{From};
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (B == Join || !Blocks.insert(B).second)
      continue;
    for (Instruction &I : *B)
      if (isRealCall(I))
        Calls.push_back(cast<CallBase>(&I));
    if (auto *Invoke = dyn_cast<InvokeInst>(B->getTerminator()))
      Work.push_back(Invoke->getNormalDest());
    else
      Work.append(succ_begin(B), succ_end(B));
  }
}

/// The last call before the join.
CallBase *lastCall(BasicBlock *Join, const SmallPtrSetImpl<BasicBlock *> &Blocks) {
  SmallVector<BasicBlock *, 8> Ends;
  for (BasicBlock *P : predecessors(Join))
    if (Blocks.contains(P))
      Ends.push_back(P);
  if (Ends.size() != 1)
    return nullptr;
  for (BasicBlock *B = Ends.front(); B; B = B->getSinglePredecessor()) {
    if (!Blocks.contains(B))
      return nullptr;
    for (Instruction &I : reverse(*B))
      if (isRealCall(I))
        return cast<CallBase>(&I);
  }
  return nullptr;
}

} // namespace

CallBase *guardedLaunch(CallBase &Push) {
  BranchInst *Branch = branchOn(Push);
  if (!Branch || !Branch->isConditional())
    return nullptr;
  // Non-zero is a failed push. Both compilers compare with `!= 0`; an `== 0` turns the ways round.
  unsigned OnZero = 1;
  if (auto *Cmp = dyn_cast<CmpInst>(Branch->getCondition()))
    OnZero = Cmp->getPredicate() == CmpInst::ICMP_EQ ? 0 : 1;
  BasicBlock *Launch = Branch->getSuccessor(OnZero);
  BasicBlock *Join = Branch->getSuccessor(1 - OnZero);
  // nvcc: `failed ? (void)0 : kernel(...)` has an empty block on the other way.
  if (Join->getSinglePredecessor() && onlyBranches(*Join))
    Join = Join->getTerminator()->getSuccessor(0);
  if (Launch == Join)
    return nullptr;

  SmallPtrSet<BasicBlock *, 8> Blocks;
  SmallVector<CallBase *, 8> Calls;
  collectGuarded(Launch, Join, Blocks, Calls);
  CallBase *Stub = nullptr;
  unsigned Stubs = 0;
  for (CallBase *Call : Calls)
    if (Function *F = ModuleView::callee(*Call))
      if (ModuleView::isStub(*F)) {
        Stub = Call;
        ++Stubs;
      }
  return Stubs == 1 ? Stub : lastCall(Join, Blocks);
}

Constant *stubOfHandle(const CallBase &Call) {
  for (const Instruction &I : instructions(*Call.getFunction())) {
    const auto *Get = dyn_cast<CallBase>(&I);
    const Function *F = Get ? ModuleView::callee(*Get) : nullptr;
    if (F && F->getName() == "__cudaGetKernel" && Get->arg_size() == 2)
      return dyn_cast<Constant>(Get->getArgOperand(1)->stripPointerCasts());
  }
  return nullptr;
}

} // namespace gpuinstr
