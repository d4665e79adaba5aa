// Makes loops over rows of threads fit for the vectoriser: copies them without the kernel's guards.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/vectorize/VectorizeRows.h"
#include "simulate/library/DeviceNames.h"
#include "simulate/vectorize/RowGuards.h"
#include "simulate/vectorize/StrideLoop.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr StringLiteral RowMark = "gpuinstr.row";
/// Larger kernels gain little by vectors, and the copy would cost compile time.
constexpr unsigned MaxInstructions = 400;

/// A branch that goes the same way in all threads of a row.
struct Guard {
  BasicBlock *At;
  bool Goes;
};

/// An index that the kernel extends to 64 bits. The copy counts in 64 bits, or LLVM would test in
/// each iteration that it does not wrap.
struct Index {
  CastInst *Extended;
  Value *First; ///< in the row, extended
  int64_t Step;
};

/// Whether the vectoriser accepts I; where it refuses, the copy would be useless.
bool canBeVector(const Instruction &I) {
  if (const auto *Known = dyn_cast<IntrinsicInst>(&I))
    return Known->isAssumeLikeIntrinsic() || isTriviallyVectorizable(Known->getIntrinsicID());
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple();
  return !I.mayReadOrWriteMemory() && !isa<CallBase>(I) && !isa<AllocaInst>(I);
}

/// One entry, one exit after the last thread, and no value that is used after the loop.
bool hasPlainShape(const Loop &Row) {
  const BasicBlock *Latch = Row.getLoopLatch();
  if (!Row.getLoopPreheader() || !Latch || Row.getExitingBlock() != Latch || !Row.getExitBlock())
    return false;
  unsigned Size = 0;
  for (const BasicBlock *Block : Row.blocks())
    for (const Instruction &I : *Block) {
      if (++Size > MaxInstructions || !canBeVector(I))
        return false;
      for (const User *U : I.users())
        if (!Row.contains(cast<Instruction>(U)))
          return false;
    }
  return isa<BranchInst>(Latch->getTerminator());
}

/// Branches around work, `if (...) work`, each with the condition on which all threads do it.
SmallVector<Guard, 4> findGuards(Loop &Row, PostDominatorTree &Behind, RowGuards &Guards,
                                 Value *&Shown) {
  SmallVector<Guard, 4> Found;
  for (BasicBlock *Block : Row.blocks()) {
    const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    const auto *Node = Behind.getNode(Block);
    if (Block == Row.getLoopLatch() || !Branch || !Branch->isConditional() || !Node ||
        !Node->getIDom())
      continue;
    const BasicBlock *Join = Node->getIDom()->getBlock();
    const bool Goes = Branch->getSuccessor(1) == Join;
    if (!Goes && Branch->getSuccessor(0) != Join)
      continue;
    Value *Holds = Guards.holds(Branch->getCondition(), Goes);
    if (!Holds)
      continue;
    IRBuilder<> B(Row.getLoopPreheader()->getTerminator());
    Shown = Shown ? B.CreateAnd(Shown, Holds) : Holds;
    Found.push_back({Block, Goes});
  }
  return Found;
}

/// A copy of Row's blocks; the caller connects its header, from From, and its exit.
void copyRow(const Loop &Row, BasicBlock &From, ValueToValueMapTy &Map) {
  SmallVector<BasicBlock *, 8> Copies;
  Function &F = *From.getParent();
  for (BasicBlock *Block : Row.blocks()) {
    BasicBlock *Copy = CloneBasicBlock(Block, Map, ".all", &F);
    Map[Block] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);
  for (PHINode &Phi : cast<BasicBlock>(Map[Row.getHeader()])->phis())
    Phi.replaceIncomingBlockWith(Row.getLoopPreheader(), &From);
}

/// Makes the branch of Block, or of its copy, unconditional. SimplifyCFG removes dead blocks.
void settle(BasicBlock &Block, bool Goes) {
  auto *Branch = cast<BranchInst>(Block.getTerminator());
  Branch->setCondition(ConstantInt::getBool(Block.getContext(), Goes));
}

/// Rows that fail guards are few.
void keepScalar(Loop &Row) { addStringMetadataToLoop(&Row, "llvm.loop.isvectorized", 1); }

void setHeader(BasicBlock &From, BasicBlock *To) { BranchInst::Create(To, &From); }

/// Adds to Shown the condition that the indices do not wrap.
SmallVector<Index, 4> findIndices(Loop &Row, RowGuards &Guards, Value *&Shown) {
  SmallVector<Index, 4> Found;
  for (BasicBlock *Block : Row.blocks())
    for (Instruction &I : *Block)
      if (isa<SExtInst>(I) || isa<ZExtInst>(I))
        if (const std::optional<RowEnds> Ends = Guards.ends(&I)) {
          IRBuilder<> B(Row.getLoopPreheader()->getTerminator());
          Shown = B.CreateAnd(Shown, Ends->Straight);
          Found.push_back({cast<CastInst>(&I), Ends->First, Ends->Step});
        }
  return Found;
}

void countApart(const Loop &Row, const Index &I, BasicBlock &From, ValueToValueMapTy &Map) {
  auto *Header = cast<BasicBlock>(Map[Row.getHeader()]);
  auto *Latch = cast<BasicBlock>(Map[Row.getLoopLatch()]);
  IRBuilder<> B(Header, Header->begin());
  PHINode *Counter = B.CreatePHI(I.First->getType(), 2);
  B.SetInsertPoint(Latch->getTerminator());
  Counter->addIncoming(I.First, &From);
  Counter->addIncoming(B.CreateAdd(Counter, ConstantInt::getSigned(I.First->getType(), I.Step)),
                       Latch);
  auto *Extended = cast<Instruction>(Map[I.Extended]);
  Extended->replaceAllUsesWith(Counter);
  Extended->eraseFromParent();
}

/// Runs the copy without guards where Shown holds, else Row.
void splitRow(Loop &Row, ArrayRef<Guard> Guards, ArrayRef<Index> Indices, Value *Shown) {
  BasicBlock *Before = Row.getLoopPreheader(), *Header = Row.getHeader();
  Function &F = *Header->getParent();
  LLVMContext &C = F.getContext();
  BasicBlock *All = BasicBlock::Create(C, "row.all", &F), *Each = BasicBlock::Create(C, "row", &F);
  ValueToValueMapTy Map;
  copyRow(Row, *All, Map);
  for (const Guard &G : Guards)
    settle(*cast<BasicBlock>(Map[G.At]), G.Goes);
  for (const Index &I : Indices)
    countApart(Row, I, *All, Map);
  for (PHINode &Phi : Row.getExitBlock()->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Row.getLoopLatch()),
                    cast<BasicBlock>(Map[Row.getLoopLatch()]));
  setHeader(*All, cast<BasicBlock>(Map[Header]));
  setHeader(*Each, Header);
  for (PHINode &Phi : Header->phis())
    Phi.replaceIncomingBlockWith(Before, Each);
  keepScalar(Row);
  ReplaceInstWithInst(Before->getTerminator(), BranchInst::Create(All, Each, Shown));
}

/// Puts rounds of all threads before Row; its threads then continue where the rounds ended.
void addRounds(Loop &Row, const StrideLoop &Stride, const RowEnds &Ends, Value *Step,
               Value *Bound) {
  BasicBlock *Before = Row.getLoopPreheader(), *Header = Row.getHeader();
  Function &F = *Header->getParent();
  LLVMContext &C = F.getContext();
  BasicBlock *Round = BasicBlock::Create(C, "round", &F);
  BasicBlock *All = BasicBlock::Create(C, "row.all", &F), *Each = BasicBlock::Create(C, "row", &F);
  BasicBlock *Next = BasicBlock::Create(C, "round.next", &F);
  IRBuilder<> B(Round);
  PHINode *Offset = B.CreatePHI(Step->getType(), 2, "offset");
  const RowEnds Now = {B.CreateAdd(Ends.First, Offset), B.CreateAdd(Ends.Last, Offset),
                       Ends.Straight, Ends.Step};
  Value *Shown = RowGuards::inAll(B, Stride.Predicate, Now, Bound);
  SmallVector<Index, 4> Indices;
  for (User *U : Stride.Counter->users())
    if (isa<SExtInst>(U) || isa<ZExtInst>(U)) {
      auto *Cast = cast<CastInst>(U);
      Shown = B.CreateAnd(Shown, RowGuards::straight(B, isa<SExtInst>(U), Now));
      Indices.push_back(
          {Cast, B.CreateCast(Cast->getOpcode(), Now.First, Cast->getType()), Ends.Step});
    }
  B.CreateCondBr(Shown, All, Each);
  Stride.beginAt(*Offset, *Bound);

  ValueToValueMapTy Map;
  copyRow(Row, *All, Map);
  settle(*cast<BasicBlock>(Map[Stride.Entry]), Stride.EntryGoes);
  settle(*cast<BasicBlock>(Map[Stride.Latch]), Stride.LatchLeaves);
  for (const Index &I : Indices)
    countApart(Row, I, *All, Map);
  cast<BasicBlock>(Map[Row.getLoopLatch()])
      ->getTerminator()
      ->replaceSuccessorWith(Row.getExitBlock(), Next);
  setHeader(*All, cast<BasicBlock>(Map[Header]));
  B.SetInsertPoint(Next);
  Value *Further = B.CreateAdd(Offset, Step);
  B.CreateBr(Round);
  Offset->addIncoming(ConstantInt::get(Step->getType(), 0), Before);
  Offset->addIncoming(Further, Next);

  // Most often no thread goes on.
  BasicBlock *Exit = Row.getExitBlock();
  B.SetInsertPoint(Each);
  B.CreateCondBr(RowGuards::inAll(B, CmpInst::getInversePredicate(Stride.Predicate), Now, Bound),
                 Exit, Header);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Row.getLoopLatch()), Each);
  for (PHINode &Phi : Header->phis())
    Phi.replaceIncomingBlockWith(Before, Each);
  keepScalar(Row);
  Before->getTerminator()->replaceSuccessorWith(Header, Round);
}

bool splitAtGuards(Loop &Row, PostDominatorTree &Behind, ScalarEvolution &SE) {
  RowGuards Guards(Row, SE);
  Value *Shown = nullptr;
  const SmallVector<Guard, 4> Found = findGuards(Row, Behind, Guards, Shown);
  if (Found.empty())
    return false;
  const SmallVector<Index, 4> Indices = findIndices(Row, Guards, Shown);
  splitRow(Row, Found, Indices, Shown);
  return true;
}

bool splitAtStride(Loop &Row, ScalarEvolution &SE) {
  const std::optional<StrideLoop> Stride = findStride(Row, SE);
  if (!Stride)
    return false;
  RowGuards Guards(Row, SE);
  const std::optional<RowEnds> Ends = Guards.ends(Stride->Start);
  Value *Step = Guards.shared(Stride->Step), *Bound = Guards.shared(Stride->Bound);
  if (!Ends || !Step || !Bound)
    return false;
  addRounds(Row, *Stride, *Ends, Step, Bound);
  return true;
}

Loop *findRow(LoopInfo &Loops) {
  for (Loop *L : Loops.getLoopsInPreorder())
    if (getBooleanLoopAttribute(L, RowMark))
      return L;
  return nullptr;
}

} // namespace

void markRow(Loop &Row) { addStringMetadataToLoop(&Row, RowMark.data(), 1); }

PreservedAnalyses VectorizeRowsPass::run(Function &F, FunctionAnalysisManager &AM) {
  if (!F.hasInternalLinkage() || !F.getName().starts_with(RunPrefix))
    return PreservedAnalyses::all();
  Loop *Row = findRow(AM.getResult<LoopAnalysis>(F));
  if (!Row)
    return PreservedAnalyses::all();
  auto &SE = AM.getResult<ScalarEvolutionAnalysis>(F);
  simplifyLoop(Row, &AM.getResult<DominatorTreeAnalysis>(F), &AM.getResult<LoopAnalysis>(F), &SE,
               &AM.getResult<AssumptionAnalysis>(F), nullptr, false);
  if (!hasPlainShape(*Row)) {
    AM.invalidate(F, PreservedAnalyses::none());
    return PreservedAnalyses::none();
  }
  const bool Done = Row->isInnermost()
                        ? splitAtGuards(*Row, AM.getResult<PostDominatorTreeAnalysis>(F), SE)
                        : splitAtStride(*Row, SE);
  // Conditions may have been emitted even where nothing came of it.
  AM.invalidate(F, PreservedAnalyses::none());
  if (Done)
    SimplifyCFGPass().run(F, AM);
  return PreservedAnalyses::none();
}

void registerVectorizeRows(PassBuilder &PB) {
  PB.registerVectorizerStartEPCallback([](FunctionPassManager &Passes, OptimizationLevel Level) {
    if (Level == OptimizationLevel::O2 || Level == OptimizationLevel::O3)
      Passes.addPass(VectorizeRowsPass());
  });
}

} // namespace gpuinstr
