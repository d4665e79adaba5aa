// Finds synchronisations behind which the host does nothing that could need them.
// SPDX-License-Identifier: Apache-2.0
#include "ir/waits/QuietWaits.h"
#include "ir/analysis/CudaReachability.h"
#include "ir/analysis/Launches.h"
#include "ir/waits/HostCalls.h"
#include "ir/waits/RoundChanges.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpuinstr {
namespace {

const Instruction *nextOf(const CallBase &Call) {
  if (const auto *Invoke = dyn_cast<InvokeInst>(&Call))
    return &Invoke->getNormalDest()->front();
  return Call.getNextNode();
}

} // namespace

QuietWaits::QuietWaits(ModuleView &View, const CudaReachability &Reaching, const Module &M)
    : View(View), Reaching(Reaching), LibraryImpl(Triple(M.getTargetTriple())),
      Library(LibraryImpl), IsManaged(hasManagedVariables(M)), CountsAreRead(readsCounts(M)) {}

QuietWaits::~QuietWaits() = default;

bool QuietWaits::isDeadEnd(const BasicBlock &Block, const BasicBlock &Start) {
  const Function &F = *Block.getParent();
  auto [Entry, IsNew] = Returning.try_emplace(&F);
  Blocks &Known = Entry->second;
  if (IsNew) {
    SmallVector<const BasicBlock *, 16> Work;
    for (const BasicBlock &B : F)
      if (isa<ReturnInst>(B.getTerminator()) && Known.insert(&B).second)
        Work.push_back(&B);
    while (!Work.empty())
      for (const BasicBlock *B : predecessors(Work.pop_back_val())) {
        if (Known.insert(B).second)
          Work.push_back(B);
      }
  }
  return Known.contains(&Start) && !Known.contains(&Block); // a program's main may never return
}

const BasicBlock *QuietWaits::wayOfFailure(const Instruction &Branch, const Walk &Walking) {
  if (!isa<BranchInst>(Branch) || Branch.getNumSuccessors() != 2)
    return nullptr;
  const Value *Condition = cast<BranchInst>(Branch).getCondition();
  bool TrueFails = true;
  for (unsigned Steps = 0; Steps < 8; ++Steps) { // also through __builtin_expect
    const auto *Compare = dyn_cast<ICmpInst>(Condition);
    const auto *Expect = dyn_cast<IntrinsicInst>(Condition);
    if (Expect && Expect->getIntrinsicID() == Intrinsic::expect) {
      Condition = Expect->getArgOperand(0);
    } else if (isa<CastInst>(Condition)) {
      Condition = cast<CastInst>(Condition)->getOperand(0);
    } else if (Compare && Compare->isEquality() && isa<ConstantInt>(Compare->getOperand(1)) &&
               cast<ConstantInt>(Compare->getOperand(1))->isZero()) {
      TrueFails ^= Compare->getPredicate() == CmpInst::ICMP_EQ;
      Condition = Compare->getOperand(0);
    } else {
      break;
    }
  }
  if (!isStatus(Condition, Walking, Walking.Entered.size()))
    return nullptr;
  return Branch.getSuccessor(TrueFails ? 0 : 1);
}

QuietWaits::Ways QuietWaits::from(const Instruction *Start, unsigned Depth, Walk &Walking) {
  Ways Found;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const Instruction *, 16> Work{Start};
  SmallVector<const BasicBlock *, 4> Noisy;
  while (!Work.empty() && !Walking.isOver(Found)) {
    const Instruction *I = Work.pop_back_val();
    Ways Here;
    bool GoesOn = true;
    for (; I; I = I->getNextNode()) {
      if (const auto *Call = dyn_cast<CallBase>(I)) {
        GoesOn = through(*Call, Depth, Walking, Here);
      } else if ((I->isAtomic() || I->isVolatile()) && // another thread may wait for it
                 (CountsAreRead || !countsReferences(*I->getFunction()))) {
        Here.ToNoise = Here.ToSteadyNoise = true;
        GoesOn = false;
      }
      if (!GoesOn || I->isTerminator())
        break;
    }
    if (!I)
      continue;
    Found.ToLaunch |= Here.ToLaunch;
    Found.ToCall |= Here.ToCall;
    Found.ToUnseen |= Here.ToUnseen;
    Found.Next.insert(Here.Next.begin(), Here.Next.end());
    if (Here.ToNoise && !isDeadEnd(*I->getParent(), *Start->getParent())) {
      Found.ToNoise = true;
      if (Here.ToSteadyNoise)
        Noisy.push_back(I->getParent());
    }
    if (!GoesOn)
      continue;
    Found.ToReturn |= isa<ReturnInst>(I);
    auto *Invoke = dyn_cast<InvokeInst>(I);
    const BasicBlock *Leave = Invoke ? Invoke->getUnwindDest() : wayOfFailure(*I, Walking);
    for (const BasicBlock *B : successors(I))
      if (B != Leave && Seen.insert(B).second)
        Work.push_back(&B->front());
  }
  if (Walking.AsksForLaunch && !Noisy.empty())
    judgeNoise(Noisy, *Start->getParent(), Walking, Found);
  return Found;
}

void QuietWaits::judgeNoise(ArrayRef<const BasicBlock *> Noisy, const BasicBlock &Start,
                            const Walk &Walking, Ways &Found) {
  if (Walking.Entered.empty() && !Found.ToLaunch && Found.Next.empty())
    return;
  auto IsCheck = [&](const Instruction &End) { return wayOfFailure(End, Walking) != nullptr; };
  std::unique_ptr<RoundChanges> &Entry = Changes[Start.getParent()];
  if (!Entry)
    Entry = std::make_unique<RoundChanges>(*Start.getParent());
  const RoundChanges &Known = *Entry;
  const Loop *Around = Known.around(Start);
  for (const BasicBlock *Block : Noisy) {
    // A deleter may run in each round, for an object of it.
    if (!countsReferences(*Start.getParent()) && !Known.isSteady(*Block, Start, IsCheck))
      continue;
    Found.ToSteadyNoise = true;
    Found.IsNoiseBefore |= Around ? Around->contains(Block) : leadsToLaunch(*Block, Found.Next);
  }
}

bool QuietWaits::leadsToLaunch(const BasicBlock &Block, const CallSet &Next) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{&Block};
  while (!Work.empty()) {
    const BasicBlock *At = Work.pop_back_val();
    for (const Instruction &I : *At) {
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? ModuleView::callee(*Call) : nullptr;
      if ((Callee && Callee->getName().starts_with("__cudaPushCallConfiguration")) ||
          (Call && Next.contains(Call)))
        return true;
    }
    for (const BasicBlock *Successor : successors(At))
      if (Seen.insert(Successor).second)
        Work.push_back(Successor);
  }
  return false;
}

uint32_t QuietWaits::flagsBehind(const CallBase &Call, Ways &Found, bool AsksForLaunch) {
  if (IsManaged || !nextOf(Call)) // a musttail call's return says nothing
    return 0;
  Walk Walking{AsksForLaunch};
  Found = from(nextOf(Call), 0, Walking);
  uint32_t Flags =
      AsksForLaunch && Found.ToLaunch && !Found.IsNoiseBefore ? GPUINSTR_SITE_QUIET : 0;
  if (!Found.ToNoise && (Found.ToCall || Found.ToReturn))
    Flags |= GPUINSTR_SITE_QUIET_ALL | (Found.ToReturn ? GPUINSTR_SITE_QUIET_OUT : 0);
  return Flags;
}

QuietWaits::Behind QuietWaits::behind(const CallBase &Call) {
  Ways Found;
  Behind Out;
  Out.Flags = flagsBehind(Call, Found, true);
  if (Out.Flags || !Found.ToUnseen)
    return Out;
  Walk Walking{true, true};
  Found = from(nextOf(Call), 0, Walking);
  if (!Found.IsNoiseBefore)
    setNext(Call, Found.Next, Out);
  return Out;
}

/// Whether control comes from `From` to `To` without passing `Through`.
static bool leadsTo(const Instruction &From, const CallBase &To, const CallBase &Through) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const Instruction *, 16> Work{&From};
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    while (I && I != &To && I != &Through && !I->isTerminator())
      I = I->getNextNode();
    if (I == &To)
      return true;
    if (!I || I == &Through)
      continue;
    for (const BasicBlock *B : successors(I))
      if (Seen.insert(B).second)
        Work.push_back(&B->front());
  }
  return false;
}

void QuietWaits::setNext(const CallBase &Call, const CallSet &Next, Behind &Out) {
  constexpr unsigned Bits = 8; // of each of two
  if (Next.size() > 2)
    return;
  uint32_t Flags = GPUINSTR_SITE_QUIET_ONCE;
  uint16_t Numbers = 0;
  for (const CallBase *To : Next) {
    const uint16_t Number = numberOf(*To);
    if (!Number || (Next.size() == 2 && Number >> Bits))
      return;
    Numbers = uint16_t(Numbers << Bits | Number);
    for (const CallBase *From : Next)
      if (!nextOf(*From) || leadsTo(*nextOf(*From), *To, Call))
        Flags = 0;
  }
  Out.Next = Numbers;
  Out.Flags = Next.empty() ? 0 : Flags | (Next.size() == 2 ? GPUINSTR_SITE_QUIET_TWO : 0);
}

bool QuietWaits::endsInWait(const Function &F) {
  auto [Entry, IsNew] = EndsInWait.try_emplace(&F, false); // of one that calls itself: no
  if (!IsNew)
    return Entry->second;
  bool Ends = false;
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? ModuleView::callee(*Call) : nullptr;
    if (!Callee)
      continue;
    const std::optional<ApiMatch> &Api = View.api(*Callee);
    bool MayEnd = Api ? isWait(*Api)
                      : !Callee->isDeclaration() && View.kind(*Callee) == CodeKind::User &&
                            endsInWait(*Callee);
    Ways Found;
    if (MayEnd && (flagsBehind(*Call, Found, false) & GPUINSTR_SITE_QUIET_OUT)) {
      Ends = true;
      break;
    }
  }
  return EndsInWait[&F] = Ends;
}

bool QuietWaits::tellsBehind(const CallBase &Call) {
  if (IsManaged || !nextOf(Call))
    return false;
  Walk Walking{false};
  const Ways Found = from(nextOf(Call), 0, Walking);
  return Found.ToNoise || (Found.ToReturn && tellsBehindCallsOf(*Call.getFunction(), 0));
}

bool QuietWaits::tellsBehindCallsOf(const Function &F, unsigned Depth) {
  if (Depth == MaxDepth)
    return false;
  auto [Entry, IsNew] = TellsBehindCalls.try_emplace(&F, false);
  if (!IsNew)
    return Entry->second;
  bool Tells = false;
  for (const User *U : F.users()) {
    const auto *Call = dyn_cast<CallBase>(U);
    if (Tells || !Call || Call->getCalledFunction() != &F || !nextOf(*Call))
      continue;
    Walk Walking{false};
    Walking.IsOutside = true;
    const Ways Found = from(nextOf(*Call), 0, Walking);
    Tells =
        Found.ToNoise || (Found.ToReturn && tellsBehindCallsOf(*Call->getFunction(), Depth + 1));
  }
  return TellsBehindCalls[&F] = Tells;
}

bool QuietWaits::isUnseen(const CallBase &Call, const Function *Callee) {
  if (!Callee)
    return isVirtual(Call);
  return Callee->isDeclaration() && !View.api(*Callee) && View.kind(*Callee) == CodeKind::User &&
         View.isUserDeclaration(*Callee);
}

QuietWaits::Behind QuietWaits::behindCall(const CallBase &Call, const Function *Callee) {
  const bool MayEnd =
      Callee ? Callee->isDeclaration() || endsInWait(*Callee) : isUnseen(Call, Callee);
  return MayEnd ? behind(Call) : Behind();
}

uint16_t QuietWaits::numberOf(const CallBase &Call) {
  auto [Entry, IsNew] = Numbers.try_emplace(Call.getFunction());
  if (IsNew) {
    unsigned Number = 0;
    for (const Instruction &I : instructions(*Call.getFunction()))
      if (isa<CallBase>(I) && !isa<IntrinsicInst>(I) && ++Number <= UINT16_MAX)
        Entry->second[cast<CallBase>(&I)] = uint16_t(Number);
  }
  return Entry->second.lookup(&Call);
}

uint32_t QuietWaits::flagsIn(const CallBase &Call) {
  const Function &F = *Call.getFunction();
  auto [Entry, IsNew] = First.try_emplace(&F);
  if (IsNew && !IsManaged) {
    FirstCalls Known;
    Walk Walking{false, false, &Known.Calls};
    const Ways Found = from(&F.getEntryBlock().front(), 0, Walking);
    if (!Found.ToNoise) {
      Known.Flags = GPUINSTR_SITE_QUIET_IN | (Found.ToReturn ? GPUINSTR_SITE_QUIET_SKIPS : 0);
    } else {
      Known.Calls.clear();
    }
    Walk ToLaunches{false, false, nullptr, {}, &Known.Launches};
    const Ways Short = from(&F.getEntryBlock().front(), 0, ToLaunches);
    if (!Short.ToNoise)
      Known.LaunchFlags = GPUINSTR_SITE_QUIET_IN | (Short.ToReturn ? GPUINSTR_SITE_QUIET_SKIPS : 0);
    First[&F] = Known;
  }
  const FirstCalls &Known = First[&F];
  if (Known.Launches.contains(&Call))
    return Known.LaunchFlags;
  return Known.Calls.contains(&Call) ? Known.Flags : 0;
}

} // namespace gpuinstr
