// Values that live across suspend points, and which of them are cheap to compute again.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/steps/LiveValues.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpuinstr {

SmallVector<SmallVector<Instruction *, 8>, 8> liveAt(Function &F, const BasicBlock &First,
                                                     ArrayRef<BasicBlock *> Blocks) {
  DenseMap<const Instruction *, unsigned> Number;
  SmallVector<Instruction *, 64> Values;
  for (BasicBlock &Block : F)
    for (Instruction &I : Block)
      if (&Block != &First && I.isUsedOutsideOfBlock(&Block)) {
        Number[&I] = Values.size();
        Values.push_back(&I);
      }
  const unsigned Count = Values.size();
  DenseMap<const BasicBlock *, BitVector> In, Own, Defined;
  DenseMap<const BasicBlock *, BitVector> AtEnd; // used by phis of those that follow
  for (BasicBlock &Block : F)
    for (auto *Each : {&In, &Own, &Defined, &AtEnd})
      (*Each)[&Block].resize(Count);
  for (BasicBlock &Block : F)
    for (Instruction &I : Block) {
      if (auto It = Number.find(&I); It != Number.end())
        Defined[&Block].set(It->second);
      auto *Phi = dyn_cast<PHINode>(&I);
      for (unsigned Op = 0; Op < I.getNumOperands(); ++Op) {
        const auto *Used = dyn_cast<Instruction>(I.getOperand(Op));
        const auto It = Used ? Number.find(Used) : Number.end();
        if (It == Number.end())
          continue;
        if (Phi)
          AtEnd[Phi->getIncomingBlock(Op)].set(It->second);
        else if (Used->getParent() != &Block)
          Own[&Block].set(It->second);
      }
    }
  const SmallVector<BasicBlock *, 32> Order(post_order(&F));
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock *Block : Order) {
      BitVector Live = AtEnd[Block];
      for (BasicBlock *Next : successors(Block))
        Live |= In[Next];
      Live.reset(Defined[Block]);
      Live |= Own[Block];
      if (Live != In[Block]) {
        In[Block] = Live;
        Changed = true;
      }
    }
  }
  SmallVector<SmallVector<Instruction *, 8>, 8> Result(Blocks.size());
  for (unsigned B = 0; B < Blocks.size(); ++B)
    for (unsigned I : In[Blocks[B]].set_bits())
      Result[B].push_back(Values[I]);
  return Result;
}

bool canRepeat(const Value *V, const BasicBlock &First, unsigned &Left) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() == &First)
    return true;
  if (!Left)
    return false;
  --Left;
  if (const auto *Call = dyn_cast<CallInst>(I)) {
    const Function *Callee = Call->getCalledFunction();
    constexpr StringLiteral Register = "__gpuinstr_nvvm_read_ptx_sreg_";
    StringRef Name = Callee ? Callee->getName() : "";
    return Name.consume_front(Register) &&
           (Name.starts_with("tid_") || Name.starts_with("ntid_") || Name.starts_with("ctaid_") ||
            Name.starts_with("nctaid_") || Name == "laneid");
  }
  if (const auto *Load = dyn_cast<LoadInst>(I)) {
    // Of the thread itself: nothing writes there while it runs. Its shared memory, for one.
    APInt Offset(64, 0);
    const Value *From = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        I->getModule()->getDataLayout(), Offset, true);
    return From == First.getParent()->getArg(0) && !Load->isVolatile();
  }
  if (!isa<BinaryOperator>(I) && !isa<CastInst>(I) && !isa<GetElementPtrInst>(I))
    return false;
  if (I->getOpcode() == Instruction::UDiv || I->getOpcode() == Instruction::SDiv ||
      I->getOpcode() == Instruction::URem || I->getOpcode() == Instruction::SRem ||
      I->getOpcode() == Instruction::FDiv || I->getOpcode() == Instruction::FRem)
    return false;
  for (const Value *Operand : I->operands())
    if (!canRepeat(Operand, First, Left))
      return false;
  return true;
}

Value *repeat(Value *V, const BasicBlock &First, IRBuilder<> &B, DenseMap<Value *, Value *> &Done) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() == &First)
    return V;
  if (Value *Known = Done.lookup(V))
    return Known;
  Instruction *Copy = I->clone();
  for (Use &U : Copy->operands())
    U.set(repeat(U.get(), First, B, Done));
  B.Insert(Copy);
  return Done[V] = Copy;
}

} // namespace gpuinstr
