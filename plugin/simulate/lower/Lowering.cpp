// Lowers device code for the host: intrinsics, calls, inline PTX, waits.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/lower/Lowering.h"
#include "simulate/ptx/InlinePtx.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Operations in which a thread waits for others of its block.
bool isCollective(StringRef Name) {
  for (StringRef Start : {"bar", "shfl_", "vote_", "activemask", "match_", "redux_", "elect_"})
    if (Name.starts_with(Start))
      return true;
  return false;
}

bool isTexture(StringRef Name) {
  for (StringRef Start : {"tex.", "tld4.", "suld.", "sust.", "sured.", "txq.", "suq."})
    if (Name.starts_with(Start))
      return true;
  return false;
}

bool mayChangeUnderneath(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || Load->isAtomic();
  if (isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
    return !I.use_empty();
  return false;
}

} // namespace

Lowering::Lowering(Module &M, const DeviceFacts &Facts, bool Relocatable,
                   const StringSet<> &Library)
    : M(M), Device(Facts), Relocatable(Relocatable), Library(Library),
      Ptr(PointerType::getUnqual(M.getContext())) {}

/// Device functions and those that only the device declares: all with a thread.
bool Lowering::isOwn(const Function &F) const { return F.getName().starts_with(SimPrefix); }

void Lowering::run() {
  prefixNames();
  addThreads();
  for (Function &F : M)
    if (!F.isDeclaration() && isOwn(F)) {
      lowerCalls(F);
      saturateConversions(F);
    }
  placeShared();
  for (Function &F : M)
    if (!F.isDeclaration() && isOwn(F)) {
      addWaits(F);
      noteCalls(F);
    }
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty())
      F.eraseFromParent();
}

/// The device's conversions to integers saturate, where C++ and x86 leave the result open. NaN
/// becomes 0, but where either side has 64 bits the highest bit alone.
void Lowering::saturateConversions(Function &F) {
  SmallVector<Instruction *, 8> Casts;
  for (Instruction &I : instructions(F))
    if ((isa<FPToSIInst>(I) || isa<FPToUIInst>(I)) && I.getType()->getScalarSizeInBits() >= 32)
      Casts.push_back(&I);
  for (Instruction *I : Casts) {
    IRBuilder<> B(I);
    Value *From = I->getOperand(0);
    const Intrinsic::ID Id = isa<FPToSIInst>(I) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    Type *To = I->getType();
    Value *Result = B.CreateIntrinsic(Id, {To, From->getType()}, {From});
    const unsigned Bits = To->getScalarSizeInBits();
    if (Bits == 64 || From->getType()->getScalarSizeInBits() == 64)
      Result = B.CreateSelect(B.CreateFCmpUNO(From, From),
                              ConstantInt::get(To, APInt::getSignMask(Bits)), Result);
    I->replaceAllUsesWith(Result);
    I->eraseFromParent();
  }
}

void Lowering::lowerCalls(Function &F) {
  SmallVector<CallInst *, 32> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      Calls.push_back(Call);
  for (CallInst *Call : Calls)
    lowerCall(*Call);
}

void Lowering::lowerCall(CallInst &Call) {
  if (Call.isInlineAsm())
    return lowerAsm(Call);
  const Function *Callee = Call.getCalledFunction();
  if (!Callee) {
    All[Call.getFunction()].OpenCalls = true;
    return;
  }
  StringRef Name = Callee->getName();
  if (Name == "llvm.trap" || Name == "llvm.debugtrap" || Name == "llvm.ubsantrap") {
    callLibrary(Call, "__gpuinstr_nvvm_trap", false);
  } else if (Name.consume_front(NvvmPrefix)) {
    lowerNamed(Call, Name, Name);
  } else if (Callee->isDeclaration() && Name.consume_front(SimPrefix) && !foldReflect(Call)) {
    const std::string Known = ("__gpuinstr_device_" + Name).str();
    if (Library.contains(Known))
      callLibrary(Call, Known, false);
    else if (Name.starts_with("cuda"))
      refuse(Call, "dynamic parallelism '" + Name + "'");
    else if (!Relocatable)
      refuse(Call, "function '" + Name + "', which has no definition");
    else
      All[Call.getFunction()].OpenCalls = true;
  }
}

/// An intrinsic, by its name without llvm.nvvm.
void Lowering::lowerNamed(CallInst &Call, StringRef Name, StringRef Shown) {
  std::string Flat = Name.str();
  for (char &C : Flat)
    if (C == '.')
      C = '_';
  // Address spaces in the names of overloads.
  for (StringRef Pointer : {"_p1", "_p3", "_p4", "_p5", "_p7"})
    if (StringRef(Flat).ends_with(Pointer))
      Flat = Flat.substr(0, Flat.size() - Pointer.size()) + "_p0";
  const std::string Function = "__gpuinstr_nvvm_" + Flat;
  if (isCollective(Flat) || Flat == "nanosleep")
    All[Call.getFunction()].Waits = true;
  if (Library.contains(Function))
    return callLibrary(Call, Function, Flat == "activemask");
  refuse(Call, (isTexture(Name) ? "texture or surface operation '" : "operation '") + Shown + "'");
}

/// Calls the library's function of the name, with the thread first. Structures come back through
/// pointers behind the arguments.
void Lowering::callLibrary(CallInst &Call, StringRef Name, bool Numbered) {
  IRBuilder<> B(&Call);
  Function *F = Call.getFunction();
  const Function *Callee = Call.getCalledFunction();
  SmallVector<Value *, 8> Arguments{F->getArg(0)};
  // Own functions already got the thread.
  const bool HasThread = Callee && isOwn(*Callee);
  for (unsigned I = HasThread ? 1 : 0; I < Call.arg_size(); ++I)
    Arguments.push_back(Call.getArgOperand(I));
  if (Name == "__gpuinstr_nvvm_trap")
    Arguments.resize(1);
  if (Numbered)
    Arguments.push_back(B.getInt32(Sites++));
  auto *Several = dyn_cast<StructType>(Call.getType());
  SmallVector<AllocaInst *, 2> Results;
  if (Several)
    for (Type *Part : Several->elements()) {
      IRBuilder<> AtEntry(&*F->getEntryBlock().getFirstInsertionPt());
      Type *Stored = Part->isIntegerTy(1) ? AtEntry.getInt8Ty() : Part;
      Results.push_back(AtEntry.CreateAlloca(Stored));
      Arguments.push_back(Results.back());
    }
  SmallVector<Type *, 8> Types;
  for (Value *V : Arguments)
    Types.push_back(V->getType());
  Type *Returned = Several ? B.getVoidTy() : Call.getType();
  CallInst *New = B.CreateCall(
      M.getOrInsertFunction(Name, FunctionType::get(Returned, Types, false)), Arguments);
  for (unsigned I = 0; I < Arguments.size(); ++I)
    if (Types[I]->isIntegerTy(1))
      New->addParamAttr(I, Attribute::ZExt);
  if (Returned->isIntegerTy(1))
    New->addRetAttr(Attribute::ZExt);
  Value *Result = New;
  if (Several) {
    Result = PoisonValue::get(Several);
    for (unsigned I = 0; I < Results.size(); ++I) {
      Value *Part = B.CreateLoad(Results[I]->getAllocatedType(), Results[I]);
      Part = B.CreateTrunc(Part, Several->getElementType(I));
      Result = B.CreateInsertValue(Result, Part, I);
    }
  }
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
}

/// The launch is refused; code that only a function pointer reaches says so when it runs.
void Lowering::refuse(CallInst &Call, const Twine &What) {
  FunctionFacts &Facts = All[Call.getFunction()];
  const std::string Text = What.str();
  if (Facts.Refused.empty())
    Facts.Refused = Text;
  IRBuilder<> B(&Call);
  B.CreateCall(M.getOrInsertFunction("__gpuinstr_sim_unsupported",
                                     FunctionType::get(B.getVoidTy(), {Ptr, Ptr}, false)),
               {Call.getFunction()->getArg(0), B.CreateGlobalString(Text)});
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  Call.eraseFromParent();
}

/// What libdevice asks of the compile: the driver's defaults, as -fgpu-flush-denormals-to-zero is
/// no option here.
bool Lowering::foldReflect(CallInst &Call) {
  if (!Call.getCalledFunction()->getName().ends_with("nvvm_reflect"))
    return false;
  Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  Call.eraseFromParent();
  return true;
}

void Lowering::lowerAsm(CallInst &Call) {
  FunctionFacts &Facts = All[Call.getFunction()];
  PtxTranslator Ptx(Call, Library, Sites);
  const bool Known = Ptx.run();
  Facts.Waits |= Ptx.waits();
  if (!Known)
    refuse(Call, (isTexture(Ptx.problem()) ? "texture or surface operation '" : "inline PTX '") +
                     Ptx.problem() + "'");
}

/// Loops that poll memory must let the threads run that may write it.
void Lowering::addWaits(Function &F) {
  bool IsKernel = false;
  for (const DeviceFacts::Kernel &K : Device.Kernels)
    IsKernel |= F.getName().drop_front(SimPrefix.size()) == K.Name;
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  SmallVector<Instruction *, 8> Places;
  for (Instruction &I : instructions(F))
    // A function's caller may loop around it.
    if (mayChangeUnderneath(I) && (!IsKernel || Loops.getLoopFor(I.getParent())))
      Places.push_back(&I);
  for (Instruction *I : Places) {
    IRBuilder<> B(I->getNextNode());
    B.CreateCall(M.getOrInsertFunction("__gpuinstr_sim_wait",
                                       FunctionType::get(B.getVoidTy(), {Ptr}, false)),
                 {F.getArg(0)});
    All[&F].Waits = true;
  }
}

void Lowering::noteCalls(Function &F) {
  FunctionFacts &Facts = All[&F];
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction())
        if (isOwn(*Callee) && !Callee->isDeclaration())
          Facts.Callees.insert(Callee);
}

FunctionFacts Lowering::withCallees(Function *F) {
  FunctionFacts Sum;
  SetVector<Function *> Work;
  Work.insert(F);
  for (unsigned I = 0; I < Work.size(); ++I) {
    const FunctionFacts &Facts = All[Work[I]];
    if (Sum.Refused.empty())
      Sum.Refused = Facts.Refused;
    Sum.Waits |= Facts.Waits;
    Sum.OpenCalls |= Facts.OpenCalls;
    for (unsigned S : Facts.Shared)
      Sum.Shared.insert(S);
    for (Function *Callee : Facts.Callees)
      Work.insert(Callee);
  }
  return Sum;
}

} // namespace gpuinstr
