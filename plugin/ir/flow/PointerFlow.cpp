// Where a pointer gets within a function: into its result, into what its parameters point to.
// SPDX-License-Identifier: Apache-2.0
#include "ir/flow/PointerFlow.h"
#include "ir/analysis/OperandOrigins.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned MostInstructions = 20000, MostFunctions = 4, MostLoads = 8;
constexpr uint64_t PointerBytes = 8;

/// Memory, by the variable that a path of pointers to it begins at: c->d lies one load from c.
struct Place {
  const Value *Root = nullptr;
  unsigned Loads = 0;
  std::optional<int64_t> Offset = 0; ///< behind the last load; none: anywhere
};

Place placeAt(const Value &Address, const DataLayout &Layout) {
  Place P;
  for (const Value *V = &Address;;) {
    APInt Offset(Layout.getIndexTypeSizeInBits(V->getType()), 0);
    const Value *Base = V->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    const Value *Object = getUnderlyingObject(Base, 0);
    if (!P.Loads)
      P.Offset = Object == Base ? std::optional<int64_t>(Offset.getSExtValue()) : std::nullopt;
    const auto *Load = dyn_cast<LoadInst>(Object);
    if (!Load || P.Loads == MostLoads) {
      P.Root = Object;
      return P;
    }
    ++P.Loads;
    V = Load->getPointerOperand();
  }
}

bool overlap(const Place &Held, const Place &Read, uint64_t Bytes) {
  if (!Held.Offset || !Read.Offset)
    return true;
  return *Held.Offset < *Read.Offset + int64_t(Bytes) &&
         *Read.Offset < *Held.Offset + int64_t(PointerBytes);
}

/// What a value has to do with the pointer.
enum class Hold : uint8_t {
  None,
  Memory, ///< points to memory that the pointer lies in
  Itself, ///< is it, is made of it
};

class PointerFlow {
public:
  PointerFlow(const Function &F, PointerFlows &Others)
      : F(F), Layout(F.getParent()->getDataLayout()), Others(Others) {
    Reach.Arguments.resize(F.arg_size());
    for (const Argument &A : F.args())
      for (const User *U : A.users())
        if (const auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &A)
          Parameters[getUnderlyingObject(Store->getPointerOperand())] = &A;
  }

  void hold(const Value &V, Hold How);
  void lieAt(Place P);
  void lieAt(const Value &Address, bool Whole);
  PointerReach follow();

private:
  Hold holdOf(const Value &V) const;
  bool isRead(const Place &P, uint64_t Bytes) const;
  void visit(const Instruction &I);
  void visitCall(const CallBase &Call);
  void visitKnownCall(const CallBase &Call, const Function &Callee);
  bool isSilent(const Function &Callee) const;
  void lieInArguments(const CallBase &Call);

  const Function &F;
  const DataLayout &Layout;
  PointerFlows &Others;
  DenseMap<const Value *, const Argument *> Parameters; ///< by the variable that each lies in
  DenseMap<const Value *, Hold> Values;
  SmallVector<Place, 8> Places;
  PointerReach Reach;
  bool Changed = false;
};

void PointerFlow::hold(const Value &V, Hold How) {
  Hold &Old = Values[&V];
  if (How <= Old)
    return;
  Old = How;
  Changed = true;
}

void PointerFlow::lieAt(Place P) {
  for (const Place &Old : Places)
    if (Old.Root == P.Root && Old.Loads == P.Loads && (!Old.Offset || Old.Offset == P.Offset))
      return;
  Places.push_back(P);
  Changed = true;
  const auto *A = dyn_cast<Argument>(P.Root);
  if (!A && P.Loads)
    A = Parameters.lookup(P.Root);
  if (A && A->hasStructRetAttr())
    Reach.Result = true;
  else if (A)
    Reach.Arguments.set(A->getArgNo());
  // A reference into an object: map[key], *owner.
  if (const auto *Call = dyn_cast<CallBase>(P.Root))
    lieInArguments(*Call);
  else if (!A && !isa<AllocaInst>(P.Root) && !isa<Constant>(P.Root))
    Reach.Result = true; // either of two
}

void PointerFlow::lieAt(const Value &Address, bool Whole) {
  Place P = placeAt(Address, Layout);
  if (Whole)
    P.Offset = std::nullopt;
  lieAt(P);
}

/// Objects that a call gets by their address: this, references, the result's place.
void PointerFlow::lieInArguments(const CallBase &Call) {
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    const Value &V = *Call.getArgOperand(I);
    if (!V.getType()->isPointerTy() || isa<Constant>(V) || holdOf(V) != Hold::None)
      continue;
    const Place P = placeAt(V, Layout);
    if (isa<AllocaInst>(getUnderlyingObject(&V)) || Call.paramHasAttr(I, Attribute::NonNull) ||
        Call.paramHasAttr(I, Attribute::StructRet))
      lieAt({P.Root, P.Loads, std::nullopt});
  }
}

bool PointerFlow::isRead(const Place &P, uint64_t Bytes) const {
  return any_of(Places, [&](const Place &Held) {
    return Held.Root == P.Root && Held.Loads == P.Loads && overlap(Held, P, Bytes);
  });
}

Hold PointerFlow::holdOf(const Value &V) const {
  const Hold How = Values.lookup(&V);
  if (How != Hold::None || !V.getType()->isPointerTy())
    return How;
  const Place P = placeAt(V, Layout);
  const bool Memory = any_of(
      Places, [&](const Place &Held) { return Held.Root == P.Root && Held.Loads >= P.Loads; });
  return Memory ? Hold::Memory : Hold::None;
}

/// Operations on memory, and launches: nothing keeps the pointer.
bool PointerFlow::isSilent(const Function &Callee) const {
  std::optional<ApiMatch> Api = Others.view().api(Callee);
  if (!Api && Others.view().kind(Callee) == CodeKind::Header)
    Api = Others.view().wrappedApi(Callee);
  if (!Api)
    return ModuleView::isStub(Callee);
  return Api->Op != GPUINSTR_OP_OTHER && Api->Op != GPUINSTR_OP_EXPORT;
}

void PointerFlow::visitKnownCall(const CallBase &Call, const Function &Callee) {
  for (unsigned I = 0; I < Call.arg_size() && I < Callee.arg_size(); ++I) {
    if (holdOf(*Call.getArgOperand(I)) == Hold::None)
      continue;
    const PointerReach Inner = Others.ofArgument(Callee, I);
    if (Inner.Result && !Call.getType()->isVoidTy())
      hold(Call, Hold::Itself);
    for (unsigned J = 0; J < Call.arg_size() && J < Callee.arg_size(); ++J)
      if (J != I &&
          (Inner.Arguments.test(J) || (Inner.Result && Call.paramHasAttr(J, Attribute::StructRet))))
        lieAt(*Call.getArgOperand(J), true);
  }
}

/// p[i], by a number that varies: a library function gets an element, not the array to keep.
static bool isElement(const Value &V) {
  const auto *At = dyn_cast<GetElementPtrInst>(&V);
  return At && !At->hasAllConstantIndices();
}

void PointerFlow::visitCall(const CallBase &Call) {
  if (const auto *Copy = dyn_cast<MemTransferInst>(&Call)) {
    const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    const Place From = placeAt(*Copy->getRawSource(), Layout);
    if (isRead(From, Length ? Length->getZExtValue() : ~0u))
      lieAt(*Copy->getRawDest(), true);
    return;
  }
  const Function *Callee = ModuleView::callee(Call);
  if (isa<IntrinsicInst>(Call) || (Callee && isSilent(*Callee)))
    return;
  if (Callee && !Callee->isDeclaration() && Others.view().kind(*Callee) == CodeKind::User)
    return visitKnownCall(Call, *Callee);
  if (none_of(Call.args(),
              [&](const Use &U) { return holdOf(*U.get()) != Hold::None && !isElement(*U.get()); }))
    return;
  if (!Call.getType()->isVoidTy())
    hold(Call, Hold::Itself);
  lieInArguments(Call);
}

void PointerFlow::visit(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    const Place From = placeAt(*Load->getPointerOperand(), Layout);
    const bool Behind =
        Load->getType()->isPointerTy() && Values.lookup(Load->getPointerOperand()) == Hold::Itself;
    if (Behind || isRead(From, Layout.getTypeStoreSize(Load->getType())))
      hold(I, Hold::Itself);
  } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    const Hold How = holdOf(*Store->getValueOperand());
    Place To = placeAt(*Store->getPointerOperand(), Layout);
    if (How == Hold::Memory)
      To = {To.Root, To.Loads + 1, std::nullopt};
    if (How != Hold::None)
      lieAt(To);
  } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
    visitCall(*Call);
  } else if (const auto *Return = dyn_cast<ReturnInst>(&I)) {
    if (const Value *V = Return->getReturnValue(); V && holdOf(*V) != Hold::None)
      Reach.Result = true;
  } else if (!I.getType()->isVoidTy() && !isa<CmpInst>(I) && !isa<AllocaInst>(I)) {
    for (const Use &U : I.operands())
      hold(I, Values.lookup(U.get()));
  }
}

PointerReach PointerFlow::follow() {
  if (F.getInstructionCount() > MostInstructions || F.isPresplitCoroutine()) {
    Reach.Result = true;
    Reach.Arguments.set();
    return Reach;
  }
  do {
    Changed = false;
    for (const Instruction &I : instructions(F))
      visit(I);
  } while (Changed);
  return Reach;
}

} // namespace

PointerReach PointerFlows::ofValue(const Function &F, const Value &V) {
  PointerFlow Flow(F, *this);
  Flow.hold(V, Hold::Itself);
  return Flow.follow();
}

PointerReach PointerFlows::ofContents(const Function &F, const Value &Address, bool Whole) {
  PointerFlow Flow(F, *this);
  Flow.lieAt(Address, Whole);
  return Flow.follow();
}

const PointerReach &PointerFlows::ofArgument(const Function &F, unsigned Number) {
  const Argument *A = F.getArg(Number);
  auto [It, New] = Known.try_emplace(A);
  if (!New)
    return It->second;
  It->second.Arguments.resize(F.arg_size()); // in a circle: what else there is
  PointerReach Reach;
  if (Depth == MostFunctions) {
    Reach.Result = true;
    Reach.Arguments.resize(F.arg_size(), true);
  } else {
    ++Depth;
    Reach = ofValue(F, *A);
    --Depth;
  }
  return Known[A] = std::move(Reach);
}

} // namespace gpuinstr
