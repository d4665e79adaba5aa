// Splits a function at its suspend points; live values move into the thread's frame.
// SPDX-License-Identifier: Apache-2.0
//
// A switch at the function's start leads to the start of the kernel or behind one of its suspend
// points. Before a suspend point the function stores the live values and returns; behind it they
// are loaded again, or computed again where that costs no more.
#include "gpuinstr/simulated_kernel.h"
#include "simulate/steps/ContinuationSplit.h"
#include "simulate/steps/LiveValues.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned MaxAgain = 6; ///< instructions to compute a value again

class FunctionSplitter {
public:
  explicit FunctionSplitter(Function &F)
      : F(F), DL(F.getParent()->getDataLayout()), Word(Type::getInt32Ty(F.getContext())) {}

  bool run(ContinuationSplit &Made) {
    removeUnreachableBlocks(F);
    Start = &F.getEntryBlock();
    Dispatch = BasicBlock::Create(F.getContext(), "dispatch", &F, Start);
    BranchInst::Create(Start, Dispatch);
    if (!placeMemory())
      return false;
    split();
    // Values of the first block are computed in each call.
    SmallVector<BasicBlock *, 8> Behind;
    for (const SuspendPoint &P : Points)
      Behind.push_back(P.After);
    auto Live = liveAt(F, *Dispatch, Behind);
    for (unsigned I = 0; I < Points.size(); ++I)
      Points[I].Live = std::move(Live[I]);
    if (!makeSlots())
      return false;
    addEnds();
    addResumes();
    Made.Flags = GPUINSTR_SIM_STEPS;
    for (const SuspendPoint &P : Points)
      Made.Flags |= P.Kind == SuspendKind::Warp   ? GPUINSTR_SIM_WARPS
                    : P.Kind == SuspendKind::Poll ? GPUINSTR_SIM_LOOKS
                                                  : 0;
    Made.FrameBytes = alignTo(Bytes, MaxAlign);
    return true;
  }

private:
  struct SuspendPoint {
    SuspendKind Kind;
    BasicBlock *Before, *After;
    BasicBlock *Leave = nullptr; ///< where the step ends: Before, or a block behind it
    BasicBlock *Resume = nullptr;
    SmallVector<Instruction *, 8> Live; ///< values that are used behind it
  };
  struct Slot {
    uint64_t Offset = 0;
    bool AtOnce = false; ///< stored where it is defined, not before each suspend point
    SmallVector<std::pair<BasicBlock *, Value *>, 4> Again; ///< in resume blocks
  };

  Value *inFrame(IRBuilder<> &B, uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F.getArg(1), Offset);
  }
  /// Through the pointer that aliases: for what the executor or pointers to variables reach.
  Value *inOpen(IRBuilder<> &B, uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F.getArg(2), Offset);
  }
  Value *inSteps(IRBuilder<> &B, uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F.getArg(3), Offset);
  }
  uint64_t place(uint64_t Size, Align Alignment) {
    const uint64_t Offset = alignTo(Bytes, Alignment);
    Bytes = Offset + Size;
    MaxAlign = std::max(MaxAlign, Alignment);
    return Offset;
  }

  bool placeMemory();
  void split();
  void arrive(CallInst &Call, BasicBlock &After);
  void giveResult(CallInst &Call, BasicBlock &After);
  bool makeSlots();
  void addEnds();
  void leave(SuspendPoint &P, unsigned Number);
  void resume(SuspendPoint &P);
  void addResumes();
  void reconnect(Instruction &I, Slot &S);

  Function &F;
  const DataLayout &DL;
  Type *Word;
  BasicBlock *Start = nullptr, *Dispatch = nullptr;
  SmallVector<SuspendPoint, 8> Points;
  MapVector<Instruction *, Slot> Slots;
  uint64_t Bytes = sizeof(gpuinstr_sim_frame);
  Align MaxAlign = Align(16);
};

/// Variables whose address is taken lie in the frame, too.
bool FunctionSplitter::placeMemory() {
  SmallVector<AllocaInst *, 8> Variables;
  SmallVector<Instruction *, 8> Marks;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Variables.push_back(A);
    else if (I.isLifetimeStartOrEnd())
      Marks.push_back(&I);
  for (Instruction *I : Marks)
    I->eraseFromParent();
  if (Variables.empty())
    return true;
  IRBuilder<> B(Dispatch->getTerminator());
  for (AllocaInst *A : Variables) {
    const std::optional<TypeSize> Size = A->getAllocationSize(DL);
    if (!Size || Size->isScalable() || A->getAlign() > Align(4096))
      return false;
    Value *Address = inOpen(B, place(Size->getFixedValue(), A->getAlign()));
    A->replaceAllUsesWith(Address);
    A->eraseFromParent();
  }
  return true;
}

void FunctionSplitter::split() {
  SmallVector<std::pair<CallInst *, SuspendKind>, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (const SuspendKind Kind = suspendKind(*Call); Kind != SuspendKind::None)
        Calls.push_back({Call, Kind});
  for (auto [Call, Kind] : Calls) {
    BasicBlock *Before = Call->getParent();
    BasicBlock *After = Before->splitBasicBlock(Call->getNextNode(), "after");
    Points.push_back({Kind, Before, After, nullptr, nullptr, {}});
    if (Kind == SuspendKind::Warp) {
      giveResult(*Call, *After);
      continue;
    }
    if (Kind == SuspendKind::Barrier)
      arrive(*Call, *After);
    Call->eraseFromParent();
  }
}

/// Replaces a barrier: notes that the thread waits, and its vote.
void FunctionSplitter::arrive(CallInst &Call, BasicBlock &After) {
  IRBuilder<> B(&Call);
  Value *Turn = B.CreateLoad(Word, inSteps(B, offsetof(gpuinstr_sim_steps, turn)));
  B.CreateStore(B.CreateAdd(Turn, B.getInt32(1)), inOpen(B, offsetof(gpuinstr_sim_frame, turn)));
  B.CreateStore(B.getInt32(1), inSteps(B, offsetof(gpuinstr_sim_steps, waiting)));
  if (Call.getType()->isVoidTy())
    return;
  const StringRef Name = Call.getCalledFunction()->getName();
  const unsigned Kind = Name.contains("_and")  ? GPUINSTR_SIM_ALL
                        : Name.contains("_or") ? GPUINSTR_SIM_ANY
                                               : GPUINSTR_SIM_POPC;
  Value *Vote = Call.getArgOperand(Call.arg_size() - 1);
  Value *True = B.CreateICmpNE(Vote, Constant::getNullValue(Vote->getType()));
  Value *Count = B.CreateSelect(True, inSteps(B, offsetof(gpuinstr_sim_steps, votes_true)),
                                inSteps(B, offsetof(gpuinstr_sim_steps, votes_false)));
  B.CreateStore(B.CreateAdd(B.CreateLoad(Word, Count), B.getInt32(1)), Count);
  B.CreateStore(B.getInt32(Kind), inSteps(B, offsetof(gpuinstr_sim_steps, vote_kind)));
  IRBuilder<> Behind(&After, After.begin());
  Value *Result =
      Behind.CreateLoad(Word, inSteps(Behind, offsetof(gpuinstr_sim_steps, vote_result)));
  if (Call.getType()->isIntegerTy(1))
    Result = Behind.CreateICmpNE(Result, Behind.getInt32(0));
  Call.replaceAllUsesWith(Result);
}

/// The call of a warp operation passes the lane's input; the result is in the frame when it
/// resumes.
void FunctionSplitter::giveResult(CallInst &Call, BasicBlock &After) {
  IRBuilder<> B(&After, After.begin());
  Value *Result = B.CreateLoad(Word, inOpen(B, offsetof(gpuinstr_sim_frame, result)));
  Type *T = Call.getType();
  if (T->isIntegerTy(1))
    Call.replaceAllUsesWith(B.CreateICmpNE(Result, B.getInt32(0)));
  else if (!T->isVoidTy())
    Call.replaceAllUsesWith(B.CreateBitCast(Result, T));
  const unsigned Count = Call.arg_size();
  if (!Call.getCalledFunction()->getName().ends_with("p"))
    return;
  // Two results: through pointers, the second one a bool.
  Value *Second = B.CreateLoad(Word, inOpen(B, offsetof(gpuinstr_sim_frame, second)));
  B.CreateStore(Result, Call.getArgOperand(Count - 2));
  B.CreateStore(B.CreateTrunc(Second, B.getInt8Ty()), Call.getArgOperand(Count - 1));
}

/// Where the values lie, and when each is stored: at once, unless a loop computes it more often
/// than the suspend point is met. Polls seldom end a step.
bool FunctionSplitter::makeSlots() {
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  for (SuspendPoint &P : Points)
    for (Instruction *I : P.Live) {
      if (!I->getType()->isSized() || I->getType()->isScalableTy())
        return false;
      auto [It, New] = Slots.insert({I, Slot()});
      const Loop *L = Loops.getLoopFor(I->getParent());
      const bool Seldom = P.Kind == SuspendKind::Poll || (L && !L->contains(P.Before));
      It->second.AtOnce = (New || It->second.AtOnce) && !Seldom;
    }
  return true;
}

/// Ends the step at a suspend point.
void FunctionSplitter::leave(SuspendPoint &P, unsigned Number) {
  Instruction *On = P.Before->getTerminator();
  P.Leave = P.Before;
  if (P.Kind == SuspendKind::Poll) {
    P.Leave = BasicBlock::Create(F.getContext(), "leave", &F, P.After);
    IRBuilder<> B(On);
    Value *Budget = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F.getArg(0),
                                                 offsetof(gpuinstr_sim_thread, budget));
    Value *Left = B.CreateSub(B.CreateLoad(Word, Budget), B.getInt32(1));
    B.CreateStore(Left, Budget);
    B.CreateCondBr(B.CreateICmpEQ(Left, B.getInt32(0)), P.Leave, P.After);
  }
  On->eraseFromParent();
  IRBuilder<> B(P.Leave);
  if (P.Kind == SuspendKind::Poll)
    B.CreateStore(B.getInt32(1), inSteps(B, offsetof(gpuinstr_sim_steps, yielded)));
  B.CreateStore(B.getInt32(Number), inFrame(B, offsetof(gpuinstr_sim_frame, next)));
  for (Instruction *I : P.Live)
    if (const Slot &S = Slots[I]; S.Offset && !S.AtOnce)
      B.CreateStore(I, inFrame(B, S.Offset));
  B.CreateRetVoid();
}

/// Starts the next step: gets the live values again.
void FunctionSplitter::resume(SuspendPoint &P) {
  P.Resume = BasicBlock::Create(F.getContext(), "resume", &F, P.After);
  IRBuilder<> B(P.Resume);
  DenseMap<Value *, Value *> Done;
  for (Instruction *I : P.Live) {
    Slot &S = Slots[I];
    Value *Again =
        S.Offset ? B.CreateLoad(I->getType(), inFrame(B, S.Offset)) : repeat(I, *Dispatch, B, Done);
    S.Again.push_back({P.Resume, Again});
  }
  B.CreateBr(P.After);
}

void FunctionSplitter::addResumes() {
  for (auto &[I, S] : Slots) {
    unsigned Left = MaxAgain;
    if (canRepeat(I, *Dispatch, Left))
      continue;
    S.Offset = place(DL.getTypeAllocSize(I->getType()), DL.getABITypeAlign(I->getType()));
    if (!S.AtOnce)
      continue;
    const auto At =
        isa<PHINode>(I) ? I->getParent()->getFirstInsertionPt() : std::next(I->getIterator());
    IRBuilder<> B(I->getParent(), At);
    B.CreateStore(I, inFrame(B, S.Offset));
  }
  IRBuilder<> B(Dispatch->getTerminator());
  Value *Next = B.CreateLoad(Word, inFrame(B, offsetof(gpuinstr_sim_frame, next)));
  SwitchInst *Switch = B.CreateSwitch(Next, Start, Points.size());
  Dispatch->getTerminator()->eraseFromParent();
  for (unsigned I = 0; I < Points.size(); ++I) {
    leave(Points[I], I + 1);
    resume(Points[I]);
    Switch->addCase(B.getInt32(I + 1), Points[I].Resume);
  }
  for (auto &[I, S] : Slots)
    reconnect(*I, S);
}

/// Uses of I get it from where it was computed or loaded last.
void FunctionSplitter::reconnect(Instruction &I, Slot &S) {
  SSAUpdater Update;
  Update.Initialize(I.getType(), "kept");
  Update.AddAvailableValue(I.getParent(), &I);
  for (auto &[Block, Value] : S.Again)
    Update.AddAvailableValue(Block, Value);
  SmallVector<Use *, 16> Uses;
  for (Use &U : I.uses()) {
    auto *User = cast<Instruction>(U.getUser());
    if (isa<PHINode>(User) || User->getParent() != I.getParent())
      Uses.push_back(&U);
  }
  for (Use *U : Uses)
    Update.RewriteUse(*U);
}

/// The kernel's own ends.
void FunctionSplitter::addEnds() {
  for (BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
      IRBuilder<> B(Return);
      B.CreateStore(B.getInt32(GPUINSTR_SIM_ENDED), inOpen(B, offsetof(gpuinstr_sim_frame, turn)));
    }
}

} // namespace

bool splitFunction(Function &F, ContinuationSplit &Made) { return FunctionSplitter(F).run(Made); }

} // namespace gpuinstr
