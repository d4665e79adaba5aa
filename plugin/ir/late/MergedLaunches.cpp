// Makes one enter and one leave of the two that stand around a kernel's launch.
// SPDX-License-Identifier: Apache-2.0
//
// A launch whose stub is inlined reads
//
//   enter(user);  __cudaPopCallConfiguration(...);  [if it failed, go to end]
//   enter(stub);  r = cudaLaunchKernel(...);  leave(stub, r);
//   end: leave(user, 0);
//
// and nvcc's also asks once for the kernel's handle. Nothing there but cudaLaunchKernel is the
// program's or instrumented, so the first enter may come as late as the second, and the last leave
// as early as the first. Ways that launch nothing keep the two calls: the frame's site, taken out
// where the launch was left, tells them apart. Where the stub is called, its body goes into a
// function that gets the user's frame as one more argument, null for other calls of the stub.
#include "ir/late/MergedLaunches.h"
#include "embed/BootstrapLinker.h"
#include "gpuinstr/abi.h"
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

/// The next call behind an instruction, null where the frame changes before, or the ways part.
CallBase *nextCall(Instruction &From, const Value *Frame) {
  for (Instruction *I = behind(From); I && !(Frame && touches(*I, *Frame)); I = behind(*I))
    if (auto *Call = dyn_cast<CallBase>(I); Call && !isa<IntrinsicInst>(Call))
      return Call;
  return nullptr;
}

/// What the stub does, as far as it has been found: in its own function, or inlined behind the
/// user's enter.
class Launch {
public:
  Launch(const TableCalls &Table, CallInst &First)
      : Table(Table), First(&First), User(getUnderlyingObject(First.getArgOperand(0))) {}
  explicit Launch(const TableCalls &Table) : Table(Table) {}

  /// Whether it has the shape above, and the ways in it meet no other call.
  bool find();
  bool findIn(Function &Stub);
  /// Of a launch that is inlined.
  void merge();
  /// In a function that gets the user's frame, or null.
  void merge(Value &Frame) const;

private:
  using Place = BasicBlock::iterator;
  enum class Way { On, Ends, Fails };
  Way way(CallBase &Call);
  bool follow(Place From);
  bool findLaunched();
  bool hasOtherWaysIn() const;
  void mergeInner(Value &Frame, Instruction &Enters, Instruction &Leaves, bool TakesSite) const;

  const TableCalls &Table;
  CallInst *First = nullptr; ///< the user's enter; null in the stub's own function
  const Value *User = nullptr;
  CallInst *Inner = nullptr, *InnerLeft = nullptr, *Last = nullptr;
  SmallPtrSet<BasicBlock *, 8> Blocks;
  bool MayLaunchNothing = false; ///< a way leads past the launch
};

Launch::Way Launch::way(CallBase &Call) {
  std::optional<uint64_t> Offset = Table.offsetOf(Call);
  if (!Offset)
    return isHelper(Call) ? Way::On : Way::Fails;
  auto *Plain = dyn_cast<CallInst>(&Call);
  if (!Plain || (*Offset != Enter && *Offset != Leave))
    return Way::Fails;
  const bool IsUsers = User && getUnderlyingObject(Plain->getArgOperand(0)) == User;
  CallInst *&Found = *Offset == Enter ? Inner : Last;
  const bool IsExpected =
      *Offset == Enter ? !IsUsers && !InnerLeft : IsUsers && isZero(Plain->getArgOperand(1));
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
  if (!InnerLeft || Table.offsetOf(*InnerLeft) != Leave ||
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

/// The user's frame, if nothing was launched.
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
  Table.insert(B, Enter, {Frame});
  Table.insert(B, Leave, {Frame, B.getInt64(0)});
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
      Target->moveBefore(Else->getIterator());
    Call.moveBefore(Else->getIterator());
    return Given;
  };
  Instruction *Enters = Split(*Inner);
  mergeInner(Frame, *Enters, *Split(*InnerLeft), true);
}

/// Launches that call their stub.
class StubCalls {
public:
  explicit StubCalls(const TableCalls &Table) : Table(Table) {}

  /// False: it is none, or its stub does something else.
  bool merge(CallInst &First);

private:
  Function *bodyOf(Function &Stub);

  const TableCalls &Table;
  DenseMap<Function *, Function *> Bodies; ///< null: there can be none
};

/// A function with the stub's body and one more parameter. The stub itself calls it with null.
Function *moveBody(Function &Stub) {
  LLVMContext &C = Stub.getContext();
  auto *Pointer = PointerType::getUnqual(C);
  SmallVector<Type *> Types(Stub.getFunctionType()->params());
  Types.push_back(Pointer);
  Function *Body = Function::Create(FunctionType::get(Stub.getReturnType(), Types, false),
                                    GlobalValue::InternalLinkage, Stub.getAddressSpace(),
                                    Stub.getName() + ".gpuinstr", Stub.getParent());
  Body->copyAttributesFrom(&Stub);
  Body->setVisibility(GlobalValue::DefaultVisibility);
  Body->setDSOLocal(true);
  Body->setSubprogram(Stub.getSubprogram());
  Stub.setSubprogram(nullptr);
  Body->splice(Body->begin(), &Stub);
  SmallVector<Value *> Arguments;
  for (Argument &A : Stub.args()) {
    A.replaceAllUsesWith(Body->getArg(A.getArgNo()));
    Arguments.push_back(&A);
  }
  Arguments.push_back(ConstantPointerNull::get(Pointer));
  IRBuilder<> B(BasicBlock::Create(C, "", &Stub));
  CallInst *Call = B.CreateCall(Body, Arguments);
  Call->setCallingConv(Stub.getCallingConv());
  Call->setAttributes(Stub.getAttributes().removeFnAttributes(C));
  B.CreateRetVoid();
  return Body;
}

Function *StubCalls::bodyOf(Function &Stub) {
  auto [Known, IsNew] = Bodies.try_emplace(&Stub);
  if (!IsNew || Stub.isDeclaration() || Stub.isInterposable() || Stub.isVarArg() ||
      Stub.hasOptNone() || !Stub.getReturnType()->isVoidTy() ||
      any_of(Stub, [](const BasicBlock &B) { return B.hasAddressTaken(); }))
    return Known->second;
  Launch Found(Table);
  if (!Found.findIn(Stub))
    return nullptr;
  Function *Body = moveBody(Stub);
  Found.merge(*Body->getArg(Stub.arg_size()));
  return Known->second = Body;
}

bool StubCalls::merge(CallInst &First) {
  const Value *User = getUnderlyingObject(First.getArgOperand(0));
  CallBase *Call = nextCall(First, User);
  auto *Last = Call ? dyn_cast_or_null<CallInst>(nextCall(*Call, User)) : nullptr;
  if (!Last || Table.offsetOf(*Last) != Leave || Last->getArgOperand(0) != First.getArgOperand(0) ||
      !isZero(Last->getArgOperand(1)))
    return false;
  Function *Stub = Call->getCalledFunction();
  if (!Stub || Call->isMustTailCall() || Stub->getFunctionType() != Call->getFunctionType() ||
      First.getFunction()->hasOptNone())
    return false;
  Function *Body = bodyOf(*Stub);
  if (!Body)
    return false;
  SmallVector<Value *> Arguments(Call->args());
  Arguments.push_back(First.getArgOperand(0));
  SmallVector<OperandBundleDef, 1> Bundles;
  Call->getOperandBundlesAsDefs(Bundles);
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(Call))
    New = InvokeInst::Create(Body->getFunctionType(), Body, Invoke->getNormalDest(),
                             Invoke->getUnwindDest(), Arguments, Bundles, "", Call->getIterator());
  else
    New = CallInst::Create(Body->getFunctionType(), Body, Arguments, Bundles, "",
                           Call->getIterator());
  New->setCallingConv(Call->getCallingConv());
  New->setAttributes(Call->getAttributes());
  New->setDebugLoc(Call->getDebugLoc());
  Call->eraseFromParent();
  enterIfOpen(Table, First, *Last);
  TableCalls::erase(First);
  TableCalls::erase(*Last);
  return true;
}

} // namespace

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
  StubCalls Called(Table);
  bool Changed = false;
  for (WeakTrackingVH &Place : Enters) {
    if (!Place)
      continue;
    auto &First = *cast<CallInst>(Place);
    Launch Inlined(Table, First);
    if (Inlined.find())
      Inlined.merge();
    else if (!Called.merge(First))
      continue;
    Changed = true;
  }
  return Changed;
}

} // namespace gpuinstr
