// Makes one enter and one leave of the two that stand around a kernel's launch.
// SPDX-License-Identifier: Apache-2.0
//
// An inlined launch reads
//
//   enter(user);  __cudaPopCallConfiguration(...);  [if it failed, go to end]
//   enter(stub);  r = cudaLaunchKernel(...);  leave(stub, r);
//   end: leave(user, 0);
//
// and nvcc's also asks once for the kernel's handle. Nothing there but cudaLaunchKernel is the
// program's or instrumented, so the first enter may come as late as the second, and the last leave
// as early as the first. Ways that launch nothing keep the two calls: the frame's site, taken out
// where the launch was left, tells them apart.
#include "ir/late/MergedLaunches.h"
#include "embed/BootstrapLinker.h"
#include "gpuinstr/abi.h"
#include "ir/analysis/ModuleView.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr uint64_t Enter = offsetof(gpuinstr_table, enter), Leave = offsetof(gpuinstr_table, leave);

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

bool isZero(const Value *V) {
  const auto *Constant = dyn_cast<ConstantInt>(V);
  return Constant && Constant->isZero();
}

/// The runtime's table of one module, and calls through it.
class TableCalls {
public:
  explicit TableCalls(GlobalVariable &Table) : Table(Table) {}

  /// The function of the table that a call goes to; other calls: none.
  std::optional<uint64_t> offsetOf(const CallBase &Call) const {
    const auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand());
    if (!Load)
      return std::nullopt;
    const DataLayout &Layout = Table.getParent()->getDataLayout();
    APInt Offset(Layout.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
    const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        Layout, Offset, /*AllowNonInbounds=*/true);
    return Base == &Table ? std::optional(Offset.getZExtValue()) : std::nullopt;
  }

  void insert(IRBuilder<> &B, uint64_t Offset, ArrayRef<Value *> Arguments) const {
    SmallVector<Type *, 3> Types;
    for (Value *A : Arguments)
      Types.push_back(A->getType());
    Value *Slot = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &Table, Offset);
    auto *Type = FunctionType::get(B.getVoidTy(), Types, false);
    B.CreateCall(Type, B.CreateLoad(B.getPtrTy(), Slot), Arguments)->setDoesNotThrow();
  }

  static void erase(CallInst &Call) {
    Value *Target = Call.getCalledOperand();
    Call.eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(Target);
  }

private:
  GlobalVariable &Table;
};

/// One launch, as far as it has been found.
class Launch {
public:
  Launch(CallInst &First, const TableCalls &Table)
      : Table(Table), First(First), User(getUnderlyingObject(First.getArgOperand(0))) {}

  bool find();
  void merge();

private:
  using Place = BasicBlock::iterator;
  enum class Way { On, Ends, Fails };
  bool touchesUser(const Instruction &I) const;
  Way way(CallBase &Call);
  bool follow(Place From);
  Instruction *behind(Instruction &I);
  bool findLaunched();
  bool hasOtherWaysIn() const;

  const TableCalls &Table;
  CallInst &First;
  const Value *User;
  CallInst *Inner = nullptr, *InnerLeft = nullptr, *Last = nullptr;
  SmallPtrSet<BasicBlock *, 8> Blocks;
  bool MayLaunchNothing = false; ///< a way leads past the launch
};

/// Whether the user's frame is written or ends: it is that of all calls of its function.
bool Launch::touchesUser(const Instruction &I) const {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return getUnderlyingObject(Store->getPointerOperand()) == User;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic && any_of(Intrinsic->args(), [&](const Use &A) {
           return A->getType()->isPointerTy() && getUnderlyingObject(A) == User;
         });
}

Launch::Way Launch::way(CallBase &Call) {
  std::optional<uint64_t> Offset = Table.offsetOf(Call);
  if (!Offset)
    return isHelper(Call) ? Way::On : Way::Fails;
  auto *Plain = dyn_cast<CallInst>(&Call);
  if (!Plain || (*Offset != Enter && *Offset != Leave))
    return Way::Fails;
  const bool IsUsers = getUnderlyingObject(Plain->getArgOperand(0)) == User;
  CallInst *&Found = *Offset == Enter ? Inner : Last;
  const bool IsExpected =
      *Offset == Enter ? !IsUsers && !InnerLeft : IsUsers && isZero(Plain->getArgOperand(1));
  if (!IsExpected || (Found && Found != Plain))
    return Way::Fails;
  Found = Plain;
  return Way::Ends;
}

/// All ways from a place to the launch or the user's leave. False: one goes elsewhere.
bool Launch::follow(Place From) {
  SmallPtrSet<BasicBlock *, 8> Seen;
  SmallVector<Place, 4> Work{From};
  while (!Work.empty()) {
    Place I = Work.pop_back_val();
    Way To = Way::On;
    for (; To == Way::On && !I->isTerminator(); ++I) {
      if (touchesUser(*I))
        return false;
      if (auto *Call = dyn_cast<CallInst>(&*I); Call && !isa<IntrinsicInst>(Call))
        To = way(*Call);
    }
    if (auto *Invoke = dyn_cast<InvokeInst>(&*I); Invoke && To == Way::On)
      To = way(*Invoke);
    if (To == Way::Fails || (To == Way::On && isa<ReturnInst>(*I)))
      return false;
    if (To == Way::Ends)
      continue;
    for (BasicBlock *Next : successors(&*I)) {
      if (Next == First.getParent())
        return false;
      if (Next->isEHPad() || !Seen.insert(Next).second) // who unwinds leaves no call
        continue;
      Blocks.insert(Next);
      Work.push_back(Next->getFirstNonPHIIt());
    }
  }
  return true;
}

/// The instruction behind one, where there is one way on.
Instruction *Launch::behind(Instruction &I) {
  if (!I.isTerminator())
    return I.getNextNode();
  auto *Invoke = dyn_cast<InvokeInst>(&I);
  BasicBlock *Next = Invoke ? Invoke->getNormalDest() : nullptr;
  if (!Next || !Next->getSinglePredecessor())
    return nullptr;
  Blocks.insert(Next);
  return &Next->front();
}

/// The one call behind the second enter, and its leave.
bool Launch::findLaunched() {
  const CallBase *Launched = nullptr;
  for (Instruction *I = behind(*Inner); I && !touchesUser(*I); I = behind(*I)) {
    auto *Call = isa<IntrinsicInst>(*I) ? nullptr : dyn_cast<CallBase>(I);
    if (!Call)
      continue;
    if (Launched) {
      InnerLeft = dyn_cast<CallInst>(Call);
      return InnerLeft && Table.offsetOf(*Call) == Leave &&
             Call->getArgOperand(0) == Inner->getArgOperand(0);
    }
    if (!Call->getCalledFunction() || isHelper(*Call))
      return false;
    Launched = Call;
  }
  return false;
}

bool Launch::hasOtherWaysIn() const {
  return any_of(Blocks, [&](BasicBlock *B) {
    return any_of(predecessors(B),
                  [&](BasicBlock *P) { return P != First.getParent() && !Blocks.contains(P); });
  });
}

/// Whether it has the shape above, and the ways in it meet no other call.
bool Launch::find() {
  if (!follow(std::next(First.getIterator())) || !Inner || !findLaunched())
    return false;
  MayLaunchNothing = Last != nullptr;
  return follow(std::next(InnerLeft->getIterator())) && Last && !hasOtherWaysIn();
}

void Launch::merge() {
  Value *Frame = First.getArgOperand(0), *InnerFrame = Inner->getArgOperand(0);
  IRBuilder<> B(Inner);
  Table.insert(B, offsetof(gpuinstr_table, enter_launch), {Frame, InnerFrame});
  B.SetInsertPoint(InnerLeft);
  Table.insert(B, offsetof(gpuinstr_table, leave_launch),
               {Frame, InnerFrame, InnerLeft->getArgOperand(1)});
  if (MayLaunchNothing) {
    Value *Null = ConstantPointerNull::get(B.getPtrTy());
    static_assert(offsetof(gpuinstr_frame, site) == 0);
    B.CreateStore(Null, Frame);
    B.SetInsertPoint(Last);
    Value *IsOpen = B.CreateICmpNE(B.CreateLoad(B.getPtrTy(), Frame), Null);
    Instruction *Open =
        SplitBlockAndInsertIfThen(IsOpen, Last->getIterator(), /*Unreachable=*/false,
                                  MDBuilder(B.getContext()).createUnlikelyBranchWeights());
    B.SetInsertPoint(Open);
    B.SetCurrentDebugLocation(Last->getDebugLoc());
    Table.insert(B, Enter, {Frame});
    Table.insert(B, Leave, {Frame, B.getInt64(0)});
  }
  for (CallInst *Call : {&First, Inner, InnerLeft, Last})
    TableCalls::erase(*Call);
}

/// nvcc's kernel is a host function, with templates around a wrapper of the stub, too.
constexpr unsigned StubDepth = 3;

bool mayInline(const CallBase &Call) {
  const Function *F = ModuleView::callee(Call);
  return F && !F->isDeclaration() && !F->isInterposable() &&
         F->getFunctionType() == Call.getFunctionType() &&
         !F->hasFnAttribute(Attribute::NoInline) && !Call.isMustTailCall();
}

/// The stubs that F calls, if any.
void inlineStubsOf(Function &F, unsigned Depth) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !mayInline(*Call) || !ModuleView::isStub(*ModuleView::callee(*Call)))
      continue;
    Call->addFnAttr(Attribute::AlwaysInline);
    if (Depth > 1)
      inlineStubsOf(*ModuleView::callee(*Call), Depth - 1);
  }
}

bool callsStub(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? ModuleView::callee(*Call) : nullptr;
    return Callee && ModuleView::isStub(*Callee);
  });
}

} // namespace

void inlineStub(CallBase &Launch) {
  const Function &Caller = *Launch.getFunction();
  if (Caller.hasOptNone() || Caller.hasOptSize() || Caller.isPresplitCoroutine() ||
      !mayInline(Launch))
    return;
  Function &Callee = *ModuleView::callee(Launch);
  if (!ModuleView::isStub(Callee) && !callsStub(Callee))
    return;
  Launch.addFnAttr(Attribute::AlwaysInline);
  inlineStubsOf(Callee, StubDepth);
}

bool mergeLaunches(Module &M) {
  GlobalVariable *Global = knownFunctionTable(M);
  if (!Global)
    return false;
  const TableCalls Table(*Global);
  SmallVector<WeakTrackingVH> Enters; // null once it is merged
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Table.offsetOf(*Call) == Enter)
        Enters.push_back(Call);
  bool Changed = false;
  for (WeakTrackingVH &First : Enters) {
    if (!First)
      continue;
    Launch Found(*cast<CallInst>(First), Table);
    if (!Found.find())
      continue;
    Found.merge();
    Changed = true;
  }
  return Changed;
}

} // namespace gpuinstr
