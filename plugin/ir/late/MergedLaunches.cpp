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
#include "ir/late/LaunchShape.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gpuinstr {
namespace {

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
  if (!Last || Table.offsetOf(*Last) != LeaveOffset ||
      Last->getArgOperand(0) != First.getArgOperand(0) || !isZero(Last->getArgOperand(1)))
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
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Table.offsetOf(*Call) == EnterOffset)
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
