// What a kernel's launch does between the user's frame and the stub's.
// SPDX-License-Identifier: Apache-2.0
#include "ir/late/LaunchShape.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// What a launch does besides: none of it is the program's code, or comes back to it.
bool isHelper(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && StringSwitch<bool>(F->getName())
                  .Case("__cudaPopCallConfiguration", true)
                  .Case("__cudaGetKernel", true)
                  .Case("__cxa_guard_acquire", true)
                  .Case("__cxa_guard_release", true)
                  .Default(false);
}

/// Whether a frame is written or ends: it is that of all calls of its function.
bool touches(const Instruction &I, const Value &Frame) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return getUnderlyingObject(Store->getPointerOperand()) == &Frame;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic && any_of(Intrinsic->args(), [&](const Use &A) {
           return A->getType()->isPointerTy() && getUnderlyingObject(A) == &Frame;
         });
}

/// The instruction behind one, null where there is more than one way on.
Instruction *behind(Instruction &I) {
  if (!I.isTerminator())
    return I.getNextNode();
  auto *Invoke = dyn_cast<InvokeInst>(&I);
  BasicBlock *Next = Invoke ? Invoke->getNormalDest() : nullptr;
  return Next && Next->getSinglePredecessor() ? &Next->front() : nullptr;
}

} // namespace

bool isZero(const Value *V) {
  const auto *Constant = dyn_cast<ConstantInt>(V);
  return Constant && Constant->isZero();
}

std::optional<uint64_t> TableCalls::offsetOf(const CallBase &Call) const {
  const auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Load)
    return std::nullopt;
  const DataLayout &Layout = Table.getParent()->getDataLayout();
  APInt Offset(Layout.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
  const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  return Base == &Table ? std::optional(Offset.getZExtValue()) : std::nullopt;
}

void TableCalls::insert(IRBuilder<> &B, uint64_t Offset, ArrayRef<Value *> Arguments) const {
  SmallVector<Type *, 3> Types;
  for (Value *A : Arguments)
    Types.push_back(A->getType());
  Value *Slot = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &Table, Offset);
  auto *Type = FunctionType::get(B.getVoidTy(), Types, false);
  B.CreateCall(Type, B.CreateLoad(B.getPtrTy(), Slot), Arguments)->setDoesNotThrow();
}

void TableCalls::erase(CallInst &Call) {
  Value *Target = Call.getCalledOperand();
  Call.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Target);
}

CallBase *nextCall(Instruction &From, const Value *Frame) {
  for (Instruction *I = behind(From); I && !(Frame && touches(*I, *Frame)); I = behind(*I))
    if (auto *Call = dyn_cast<CallBase>(I); Call && !isa<IntrinsicInst>(Call))
      return Call;
  return nullptr;
}

Launch::Launch(const TableCalls &Table, CallInst &First)
    : Table(Table), First(&First), User(getUnderlyingObject(First.getArgOperand(0))) {}

Launch::Way Launch::way(CallBase &Call) {
  std::optional<uint64_t> Offset = Table.offsetOf(Call);
  if (!Offset)
    return isHelper(Call) ? Way::On : Way::Fails;
  auto *Plain = dyn_cast<CallInst>(&Call);
  if (!Plain || (*Offset != EnterOffset && *Offset != LeaveOffset))
    return Way::Fails;
  const bool IsUsers = User && getUnderlyingObject(Plain->getArgOperand(0)) == User;
  CallInst *&Found = *Offset == EnterOffset ? Inner : Last;
  const bool IsExpected =
      *Offset == EnterOffset ? !IsUsers && !InnerLeft : IsUsers && isZero(Plain->getArgOperand(1));
  if (!IsExpected || (Found && Found != Plain))
    return Way::Fails;
  Found = Plain;
  return Way::Ends;
}

/// All ways from a place to the launch or the end. False: one goes elsewhere.
bool Launch::follow(Place From) {
  SmallPtrSet<BasicBlock *, 8> Seen;
  SmallVector<Place, 4> Work{From};
  while (!Work.empty()) {
    Place I = Work.pop_back_val();
    Way To = Way::On;
    for (; To == Way::On && !I->isTerminator(); ++I) {
      if (User && touches(*I, *User))
        return false;
      if (auto *Call = dyn_cast<CallInst>(&*I); Call && !isa<IntrinsicInst>(Call))
        To = way(*Call);
    }
    if (auto *Invoke = dyn_cast<InvokeInst>(&*I); Invoke && To == Way::On)
      To = way(*Invoke);
    if (To == Way::Fails || (To == Way::On && First && isa<ReturnInst>(*I)))
      return false;
    if (To == Way::Ends)
      continue;
    for (BasicBlock *Next : successors(&*I)) {
      if (First && Next == First->getParent())
        return false;
      if (Next->isEHPad() || !Seen.insert(Next).second) // who unwinds leaves no call
        continue;
      Blocks.insert(Next);
      Work.push_back(Next->getFirstNonPHIIt());
    }
  }
  return true;
}

/// The one call behind the second enter, and its leave.
bool Launch::findLaunched() {
  CallBase *Launched = nextCall(*Inner, User);
  if (!Launched || !Launched->getCalledFunction() || isHelper(*Launched))
    return false;
  InnerLeft = dyn_cast_or_null<CallInst>(nextCall(*Launched, User));
  if (!InnerLeft || Table.offsetOf(*InnerLeft) != LeaveOffset ||
      InnerLeft->getArgOperand(0) != Inner->getArgOperand(0))
    return false;
  Blocks.insert(InnerLeft->getParent());
  return true;
}

bool Launch::hasOtherWaysIn() const {
  return any_of(Blocks, [&](BasicBlock *B) {
    return B != First->getParent() && any_of(predecessors(B), [&](BasicBlock *P) {
             return P != First->getParent() && !Blocks.contains(P);
           });
  });
}

bool Launch::find() {
  if (!follow(std::next(First->getIterator())) || !Inner || !findLaunched())
    return false;
  MayLaunchNothing = Last != nullptr;
  return follow(std::next(InnerLeft->getIterator())) && Last && !hasOtherWaysIn();
}

bool Launch::findIn(Function &Stub) {
  return follow(Stub.getEntryBlock().begin()) && Inner && findLaunched() &&
         follow(std::next(InnerLeft->getIterator()));
}

/// Before two places: what enters, and what leaves.
void Launch::mergeInner(Value &Frame, Instruction &Enters, Instruction &Leaves,
                        bool TakesSite) const {
  Value *InnerFrame = Inner->getArgOperand(0);
  IRBuilder<> B(&Enters);
  B.SetCurrentDebugLocation(Inner->getDebugLoc());
  Table.insert(B, offsetof(gpuinstr_table, enter_launch), {&Frame, InnerFrame});
  B.SetInsertPoint(&Leaves);
  B.SetCurrentDebugLocation(InnerLeft->getDebugLoc());
  Table.insert(B, offsetof(gpuinstr_table, leave_launch),
               {&Frame, InnerFrame, InnerLeft->getArgOperand(1)});
  static_assert(offsetof(gpuinstr_frame, site) == 0);
  if (TakesSite)
    B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), &Frame);
}

void enterIfOpen(const TableCalls &Table, CallInst &First, CallInst &Last) {
  Value *Frame = First.getArgOperand(0);
  IRBuilder<> B(&Last);
  Value *Null = ConstantPointerNull::get(B.getPtrTy());
  Value *IsOpen = B.CreateICmpNE(B.CreateLoad(B.getPtrTy(), Frame), Null);
  Instruction *Open =
      SplitBlockAndInsertIfThen(IsOpen, Last.getIterator(), /*Unreachable=*/false,
                                MDBuilder(B.getContext()).createUnlikelyBranchWeights());
  B.SetInsertPoint(Open);
  B.SetCurrentDebugLocation(Last.getDebugLoc());
  Table.insert(B, EnterOffset, {Frame});
  Table.insert(B, LeaveOffset, {Frame, B.getInt64(0)});
}

void Launch::merge() {
  mergeInner(*First->getArgOperand(0), *Inner, *InnerLeft, MayLaunchNothing);
  if (MayLaunchNothing)
    enterIfOpen(Table, *First, *Last);
  for (CallInst *Call : {First, Inner, InnerLeft, Last})
    TableCalls::erase(*Call);
}

void Launch::merge(Value &Frame) const {
  auto Split = [&](CallInst &Call) {
    IRBuilder<> B(&Call);
    Value *IsGiven = B.CreateIsNotNull(&Frame);
    Instruction *Given = nullptr, *Else = nullptr;
    SplitBlockAndInsertIfThenElse(IsGiven, Call.getIterator(), &Given, &Else);
    if (auto *Target = dyn_cast<LoadInst>(Call.getCalledOperand()); Target && Target->hasOneUse())
      Target->moveBefore(*Else->getParent(), Else->getIterator());
    Call.moveBefore(*Else->getParent(), Else->getIterator());
    return Given;
  };
  Instruction *Enters = Split(*Inner);
  mergeInner(Frame, *Enters, *Split(*InnerLeft), true);
}

} // namespace gpuinstr
