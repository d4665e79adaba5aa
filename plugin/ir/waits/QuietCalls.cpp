// Whether a walk behind a synchronisation goes on behind a call that it meets.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/CudaReachability.h"
#include "ir/analysis/Launches.h"
#include "ir/waits/HostCalls.h"
#include "ir/waits/QuietWaits.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned MaxInside = 12;  ///< MaxDepth in the standard library: smart pointers are deep
constexpr unsigned MaxCalls = 2000; ///< looked at for one synchronisation

} // namespace

bool QuietWaits::isStatus(const Value *V, const Walk &Walking, size_t Depth, unsigned Steps) {
  constexpr unsigned MaxSteps = 8;
  if (++Steps > MaxSteps)
    return false;
  if (const auto *Call = dyn_cast<CallBase>(V)) {
    const Function *Callee = Call->isInlineAsm() ? nullptr : ModuleView::callee(*Call);
    const std::optional<ApiMatch> *Api = Callee ? &View.api(*Callee) : nullptr;
    constexpr uint32_t Statuses = GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT;
    return Api && *Api && ((*Api)->Flags & Statuses);
  }
  if (const auto *Argument = dyn_cast<llvm::Argument>(V)) {
    const CallBase *Call = Depth ? Walking.Entered[Depth - 1] : nullptr;
    return Call && ModuleView::callee(*Call) == Argument->getParent() &&
           Argument->getArgNo() < Call->arg_size() &&
           isStatus(Call->getArgOperand(Argument->getArgNo()), Walking, Depth - 1, Steps);
  }
  const auto *Load = dyn_cast<LoadInst>(V);
  const auto *Local = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  if (!Local)
    return false;
  bool IsStored = false; // a local variable that holds nothing else
  for (const User *U : Local->users()) {
    if (isa<LoadInst>(U) || isa<IntrinsicInst>(U))
      continue;
    const auto *Store = dyn_cast<StoreInst>(U);
    if (!Store || Store->getPointerOperand() != Local ||
        !isStatus(Store->getValueOperand(), Walking, Depth, Steps))
      return false;
    IsStored = true;
  }
  return IsStored;
}

bool QuietWaits::isUnseenCheck(const CallBase &Call, const Function &Callee, const Walk &Walking) {
  const StringRef Name = Callee.getName();
  if (Name.starts_with("_Z") && !Name.contains("cudaError") && !Name.contains("CUresult"))
    return false;
  if (isOfTime(Name))
    return false;
  bool GetsStatus = false;
  for (const Use &Given : Call.args()) {
    if (isa<Constant>(Given)) // the file, the line, the call's text
      continue;
    if (!isStatus(Given, Walking, Walking.Entered.size()))
      return false;
    GetsStatus = true;
  }
  return GetsStatus;
}

bool QuietWaits::isUnseenAllocation(const Function &F) {
  return F.isDeclaration() && View.allocatesElsewhere(F) && !isOfTime(F.getName());
}

bool QuietWaits::releasesNumbers(const CallBase &Call, const Walk &Walking) {
  if (CountsAreRead || !countsReferences(*Call.getFunction()))
    return false;
  for (const CallBase *Entered : reverse(Walking.Entered))
    if (const Function *F = ModuleView::callee(*Entered); F && isSharedPointer(*F))
      return sharesNumbers(*F);
  return false;
}

bool QuietWaits::stop(Ways &Found) {
  Found.ToNoise = Found.ToSteadyNoise = true;
  return false;
}

bool QuietWaits::throughUnseen(const CallBase &Call, const Function *Callee, Walk &Walking,
                               Ways &Found) {
  if (Walking.IsOutside)
    return Callee && isOfTime(Callee->getName()) && stop(Found);
  Found.ToUnseen = true;
  if (!Walking.TakesNext)
    return stop(Found);
  Found.Next.insert(&Call);
  return false;
}

bool QuietWaits::throughConfiguration(const CallBase &Call, unsigned Depth, Walk &Walking,
                                      Ways &Found) {
  const CallBase *Launch = guardedLaunch(const_cast<CallBase &>(Call));
  if (Walking.First && Launch)
    Walking.Launches.insert(Launch);
  if (Walking.First)
    return true;
  if (Walking.Ending && Depth == 0 && Launch)
    Walking.Ending->insert(Launch);
  Found.ToLaunch = Found.ToCall = true;
  return false;
}

bool QuietWaits::throughApi(const CallBase &Call, const ApiMatch &Api, unsigned Depth,
                            Walk &Walking, Ways &Found) {
  if (asksForError(Api) || isPlainAllocation(Api))
    return true;
  if (Walking.First && Api.Op == GPUINSTR_OP_LAUNCH)
    return true;
  const bool Launches = isWork(Api, ModuleView::callee(Call)->getName());
  if (!Launches && !isSeenByAudit(Api))
    return stop(Found);
  if (Walking.First && Depth == 0)
    Walking.First->insert(&Call);
  if (Walking.Ending && Depth == 0 && Api.Op == GPUINSTR_OP_LAUNCH)
    Walking.Ending->insert(&Call);
  Found.ToLaunch |= Launches;
  Found.ToCall = true;
  return !Walking.First && isQueuedTransfer(Call, Api); // the host goes on behind it
}

bool QuietWaits::throughBody(const CallBase &Call, const Function &Callee, unsigned Depth,
                             Walk &Walking, Ways &Found) {
  if (Callee.isDeclaration() ||
      Depth >= (View.kind(Callee) == CodeKind::System ? MaxInside : MaxDepth))
    return stop(Found);
  if (Walking.First && Depth == 0)
    Walking.First->insert(&Call);
  Walking.Entered.push_back(&Call);
  Ways Inside = from(&Callee.getEntryBlock().front(), Depth + 1, Walking);
  Walking.Entered.pop_back();
  Found.ToLaunch |= Inside.ToLaunch;
  Found.ToCall |= Inside.ToCall;
  Found.ToNoise |= Inside.ToNoise;
  Found.ToSteadyNoise |= Inside.ToSteadyNoise;
  return Inside.ToReturn;
}

bool QuietWaits::through(const CallBase &Call, unsigned Depth, Walk &Walking, Ways &Found) {
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
    return !readsClock(*Intrinsic) || stop(Found);
  const Function *Callee = Call.isInlineAsm() ? nullptr : ModuleView::callee(Call);
  if (Call.doesNotReturn())
    return false;
  if (Walking.Launches.contains(&Call)) // by nvcc, of a kernel that may stand in another file
    return true;
  if (!Callee && releasesNumbers(Call, Walking))
    return true;
  const bool MayBeNext = Walking.IsOutside || (Walking.AsksForLaunch && Depth == 0);
  if (!Callee && MayBeNext && isUnseen(Call, nullptr))
    return throughUnseen(Call, nullptr, Walking, Found);
  if (!Callee || ++Walking.Calls > MaxCalls)
    return stop(Found);
  if (Callee->getName().starts_with("__cudaPushCallConfiguration"))
    return throughConfiguration(Call, Depth, Walking, Found);
  if (Walking.First && (ModuleView::isStub(*Callee) || ModuleView::isLaunchHelper(*Callee)))
    return true;
  if (const std::optional<ApiMatch> &Api = View.api(*Callee))
    return throughApi(Call, *Api, Depth, Walking, Found);
  // Thrust's and CUB's: what the call begins with, the runtime sees.
  if (View.kind(*Callee) == CodeKind::Library && Callee->getName().starts_with("_ZN")) {
    if (!Reaching.contains(*Callee))
      return true;
    Found.ToLaunch = Found.ToCall = true;
    return false;
  }
  if (isHarmless(*Callee, Library))
    return true;
  if (Callee->isDeclaration() && (computesNumber(*Callee) || isUnseenCheck(Call, *Callee, Walking)))
    return true;
  if (isUnseenAllocation(*Callee)) {
    if (Walking.First && Depth == 0)
      Walking.First->insert(&Call);
    return true;
  }
  if (MayBeNext && isUnseen(Call, Callee))
    return throughUnseen(Call, Callee, Walking, Found);
  return throughBody(Call, *Callee, Depth, Walking, Found);
}

} // namespace gpuinstr
