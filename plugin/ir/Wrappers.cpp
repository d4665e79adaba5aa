// Which functions are wrappers: their callers' lines get the rows.
// SPDX-License-Identifier: Apache-2.0
#include "ir/Wrappers.h"
#include "ir/analysis/OperandOrigins.h"
#include "ir/flow/StreamUses.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include <memory>

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned MostAlike = 2;

/// What a wrapper's own call is.
enum class Role : uint8_t {
  HandsOn, ///< an operation on what was given, a launch of a kernel that was given
  Neutral, ///< cudaGetLastError, cudaSetDevice
  Job,     ///< on something of the function's own, a kernel that it names itself
};

/// A function that may be a wrapper, as far as it can tell itself.
struct Candidate {
  PlannedFunction *Planned;
  bool Named = false;                           ///< by wrapper=: whatever it does
  bool HandsOn = false;                         ///< has an operation on what was given
  SmallVector<const PlannedCall *, 4> Forwards; ///< calls with nothing but what was given
  SmallPtrSet<const PlannedCall *, 4> Returns;  ///< those whose result is returned
};

bool isResourceOp(unsigned Op) {
  return Op == GPUINSTR_OP_ALLOC || Op == GPUINSTR_OP_FREE || Op == GPUINSTR_OP_CREATE ||
         Op == GPUINSTR_OP_DESTROY;
}

bool isOperation(unsigned Op) {
  return isResourceOp(Op) || Op == GPUINSTR_OP_GRAPH_LAUNCH ||
         (Op >= GPUINSTR_OP_COPY && Op <= GPUINSTR_OP_ADVISE) ||
         (Op >= GPUINSTR_OP_SYNC_STREAM && Op <= GPUINSTR_OP_RECORD_EVENT);
}

bool isWork(const Site &S) {
  switch (S.Op) {
  case GPUINSTR_OP_REGION:
  case GPUINSTR_OP_CAPTURE_BEGIN:
  case GPUINSTR_OP_CAPTURE_END:
  case GPUINSTR_OP_GRAPH_NODE:
  case GPUINSTR_OP_HOST_FUNC:
    return true;
  case GPUINSTR_OP_LIBRARY:
    return !S.Resource;
  default:
    return false;
  }
}

using FunctionSet = SmallPtrSet<const Function *, 8>;

class Judge {
public:
  Judge(ModuleView &View, const CudaReachability &Reaching, const DescriptorEmitter &Sites)
      : View(View), Reaching(Reaching), Sites(Sites), Streams(View, Reaching) {}

  std::unique_ptr<Candidate> candidate(PlannedFunction &P);
  std::unique_ptr<Candidate> named(PlannedFunction &P);
  /// A constructor of model.weights and model.bias: the object's name alone would tell none of
  /// them.
  bool makesSeveralMembers(const PlannedFunction &P) const;
  bool makesMember(const PlannedCall &P) const;
  /// The same of any function: what it makes for members of an object of its own, or receives from
  /// one function for several places. Its caller's line could not tell them apart.
  bool fillsSeveral(const PlannedFunction &P) const;
  bool fillsMember(const PlannedCall &P) const;
  /// Comes first.
  void findChecks(const std::vector<PlannedFunction> &Planned);
  /// Given what the others are.
  bool isWrapper(const Candidate &C);

  DenseMap<const Function *, std::unique_ptr<Candidate>> Candidates;

private:
  const Site &siteOf(const PlannedCall &P) const { return Sites.sites()[P.Site]; }
  /// The callee of an announced call that reaches CUDA, as far as it can be seen.
  const Function *knownCallee(const PlannedCall &P) const;
  bool isAside(const PlannedCall &P) const;
  bool onlyAsks(const PlannedFunction &P) const;
  bool handsOnUnseen(const PlannedFunction &P);
  /// Leaves those that call none but what is left.
  void keepClosed(FunctionSet &Set, const std::vector<PlannedFunction> &Planned) const;
  Role roleOf(const PlannedCall &P, OperandOrigins &Origins);
  bool isKernelGiven(const PlannedCall &P, OperandOrigins &Origins);
  std::optional<uint64_t> directionOf(const PlannedCall &P);
  bool forwards(const PlannedCall &P, OperandOrigins &Origins);

  ModuleView &View;
  const CudaReachability &Reaching;
  const DescriptorEmitter &Sites;
  StreamUses Streams;
  /// Functions that check calls or set the device: they ask CUDA for errors and the like and do
  /// nothing else with it, so that they are no job.
  FunctionSet Checks;
  /// Those of them that hand on nothing to functions that cannot be seen: no wrappers either.
  FunctionSet PlainChecks;
};

const Function *Judge::knownCallee(const PlannedCall &P) const {
  const Function *Callee = P.What == PlannedCall::Announce ? ModuleView::callee(*P.Call) : nullptr;
  return Callee && !Callee->isDeclaration() && Reaching.contains(*Callee) ? Callee : nullptr;
}

/// Asks for an error or the like, or says on which device: what no wrapper is for.
bool Judge::isAside(const PlannedCall &P) const {
  const Site &S = siteOf(P);
  switch (S.Op) {
  case GPUINSTR_OP_GET_ERROR:
  case GPUINSTR_OP_PEEK_ERROR:
  case GPUINSTR_OP_SET_DEVICE:
    return true;
  case GPUINSTR_OP_OTHER: // cudaGetDevice
    return !P.Entry && !S.Detail && !(S.Flags & GPUINSTR_SITE_ASYNC);
  }
  // Those of the runtime are no sites: they return no status.
  const Function *Callee = ModuleView::callee(*P.Call);
  return Callee &&
         (Callee->getName() == "cuGetErrorString" || Callee->getName() == "cuGetErrorName");
}

/// By itself. A pointer to a function may lead anywhere in this file.
bool Judge::onlyAsks(const PlannedFunction &P) const {
  return View.kind(*P.F) == CodeKind::User && !P.IsNamedWrapper &&
         all_of(P.Calls, [&](const PlannedCall &Call) {
           switch (Call.What) {
           case PlannedCall::Exit:
             return true;
           case PlannedCall::Announce:
             return ModuleView::callee(*Call.Call) != nullptr;
           case PlannedCall::Wrap:
           case PlannedCall::Count:
             return isAside(Call);
           }
           return false;
         });
}

bool Judge::handsOnUnseen(const PlannedFunction &P) {
  OperandOrigins Origins(*P.F, View);
  return any_of(P.Calls, [&](const PlannedCall &Call) {
    return Call.What == PlannedCall::Announce && !knownCallee(Call) && forwards(Call, Origins);
  });
}

void Judge::keepClosed(FunctionSet &Set, const std::vector<PlannedFunction> &Planned) const {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const PlannedFunction &P : Planned)
      if (Set.contains(P.F) && any_of(P.Calls, [&](const PlannedCall &Call) {
            const Function *Callee = knownCallee(Call);
            return Callee && !Set.contains(Callee);
          }))
        Changed |= Set.erase(P.F);
  }
}

void Judge::findChecks(const std::vector<PlannedFunction> &Planned) {
  for (const PlannedFunction &P : Planned)
    if (onlyAsks(P))
      Checks.insert(P.F);
  keepClosed(Checks, Planned);
  for (const PlannedFunction &P : Planned)
    if (Checks.contains(P.F) && !handsOnUnseen(P))
      PlainChecks.insert(P.F);
  keepClosed(PlainChecks, Planned);
}

/// The kernel is a launch's first operand: launch(kernel, ...), launch<kernel>(...), this->kernel,
/// parallelFor(n, [=] __device__ (int i) { ... }).
bool Judge::isKernelGiven(const PlannedCall &P, OperandOrigins &Origins) {
  if (siteOf(P).KernelIsGiven)
    return true;
  if (!ModuleView::callee(*P.Call))
    return Origins.of(*P.Call->getCalledOperand()) == Origin::Given;
  const ApiEntry *Entry = entryOf(P, View);
  int Param = Entry ? Entry->parameterOf(GPUINSTR_SLOT_FUNC) : -1;
  std::optional<OperandPlace> Place;
  if (Param >= 0)
    Place = placeOf(*P.Call, *Entry, Param);
  return Place && Origins.of(*P.Call->getArgOperand(Place->Index)) == Origin::Given;
}

Role Judge::roleOf(const PlannedCall &P, OperandOrigins &Origins) {
  const Site &S = siteOf(P);
  if (S.Op == GPUINSTR_OP_LAUNCH)
    return isKernelGiven(P, Origins) ? Role::HandsOn : Role::Job;
  const ApiEntry *Entry = entryOf(P, View);
  if (isWork(S))
    return Role::Job;
  if (!Entry || (!isOperation(S.Op) && S.Op != GPUINSTR_OP_LIBRARY))
    return Role::Neutral;
  bool Given = false;
  for (const ApiOperand &O : Entry->operands()) {
    bool Stream = O.Slot == GPUINSTR_SLOT_STREAM, Target = O.Slot == GPUINSTR_SLOT_DST;
    std::optional<OperandPlace> Place = placeOf(*P.Call, *Entry, O.Param);
    if ((!Target && !Stream && O.Slot != GPUINSTR_SLOT_SRC) || !Place)
      continue;
    const Value &V = *P.Call->getArgOperand(Place->Index);
    if (isa<ConstantPointerNull>(V))
      continue;
    Origin From = Origins.of(V);
    Given |= From == Origin::Given && (!Stream || Entry->operands().size() == 1);
    if (!Stream && (From == Origin::Other || (Target && From == Origin::Constant)))
      return Role::Job;
  }
  return Given ? Role::HandsOn : Role::Neutral;
}

/// cudaMemcpyKind, where it is written down.
std::optional<uint64_t> Judge::directionOf(const PlannedCall &P) {
  const ApiEntry *Entry = entryOf(P, View);
  int Param = Entry && Entry->Op >= GPUINSTR_OP_COPY && Entry->Op <= GPUINSTR_OP_COPY_ARRAY
                  ? Entry->parameterOf(GPUINSTR_SLOT_KIND)
                  : -1;
  std::optional<OperandPlace> Place;
  if (Param >= 0)
    Place = placeOf(*P.Call, *Entry, Param);
  const auto *Kind = Place ? dyn_cast<ConstantInt>(P.Call->getArgOperand(Place->Index)) : nullptr;
  return Kind ? std::optional<uint64_t>(Kind->getZExtValue()) : std::nullopt;
}

/// Whether a call of another function hands on nothing else than what was given, or returns what it
/// gets. What a function keeps in a member has its name from there. So does a virtual function of
/// such an object, or a function that was given, whichever it is.
bool Judge::forwards(const PlannedCall &P, OperandOrigins &Origins) {
  const Function *Callee = ModuleView::callee(*P.Call);
  if (!Callee && Origins.of(*P.Call->getCalledOperand()) != Origin::Given)
    return false;
  bool Pointer = false, Number = false;
  for (const Use &U : P.Call->args()) {
    Origin From = Origins.of(*U.get());
    if (U->getType()->isPointerTy() && From == Origin::Other) {
      if (Streams.isStream(*U.get()))
        continue;
      return false;
    }
    (U->getType()->isPointerTy() ? Pointer : Number) |= From == Origin::Given;
  }
  bool Returns = !P.Call->getType()->isVoidTy() && P.Call->getType()->isPointerTy() &&
                 Origins.isReturned(*P.Call);
  // The only number that a check is about is a status.
  bool MeansMemory = Callee && !Callee->isDeclaration() && !Checks.contains(Callee);
  return Pointer || Returns || (Number && MeansMemory);
}

std::unique_ptr<Candidate> Judge::named(PlannedFunction &P) {
  auto C = std::make_unique<Candidate>();
  C->Planned = &P;
  C->Named = true;
  OperandOrigins Origins(*P.F, View);
  for (const PlannedCall &Call : P.Calls) {
    if (Call.What != PlannedCall::Announce)
      continue;
    C->Forwards.push_back(&Call);
    if (!Call.Call->getType()->isVoidTy() && Origins.isReturned(*Call.Call))
      C->Returns.insert(&Call);
  }
  return C;
}

SmallPtrSet<const BasicBlock *, 8> blocksInLoops(const Function &F) {
  SmallPtrSet<const BasicBlock *, 8> Blocks;
  for (auto I = scc_begin(&F); !I.isAtEnd(); ++I)
    if (I.hasCycle())
      Blocks.insert((*I).begin(), (*I).end());
  return Blocks;
}

/// Calls of one kind, of which one run of the function may make several: those of
/// `switch (kind) { case Up: ...; case Down: ... }` exclude each other.
class AlikeCalls {
public:
  /// Whether it is one too many with those before it.
  bool isTooMuch(const CallBase &Call) {
    const auto Many = count_if(Calls, [&](const CallBase *Other) { return meet(*Other, Call); });
    Calls.push_back(&Call);
    return Many >= MostAlike;
  }
  /// Whether one run may make both.
  static bool meet(const CallBase &One, const CallBase &Other) {
    return isPotentiallyReachable(&One, &Other) || isPotentiallyReachable(&Other, &One);
  }

private:
  SmallVector<const CallBase *, 4> Calls;
};

std::unique_ptr<Candidate> Judge::candidate(PlannedFunction &P) {
  const Function &F = *P.F;
  if (P.IsNamedWrapper)
    return named(P);
  if (View.kind(F) != CodeKind::User || F.getName() == "main" || F.isPresplitCoroutine())
    return nullptr;
  auto C = std::make_unique<Candidate>();
  C->Planned = &P;
  OperandOrigins Origins(F, View);
  SmallPtrSet<const BasicBlock *, 8> Loops = blocksInLoops(F);
  DenseMap<uint64_t, AlikeCalls> OfKind;
  DenseMap<const Function *, AlikeCalls> OfCallee;
  SmallVector<std::pair<const CallBase *, uint64_t>, 4> Directions;
  for (const PlannedCall &Call : P.Calls) {
    bool HandsOn = false;
    switch (Call.What) {
    case PlannedCall::Exit:
      continue;
    case PlannedCall::Announce:
      if (PlainChecks.contains(ModuleView::callee(*Call.Call)) || Streams.isStream(*Call.Call) ||
          !forwards(Call, Origins))
        continue;
      if (siteOf(Call).Flags & GPUINSTR_SITE_LOCAL) // named here
        return nullptr;
      C->Forwards.push_back(&Call);
      if (!Call.Call->getType()->isVoidTy() && !siteOf(Call).ReturnsHeld &&
          Origins.isReturned(*Call.Call))
        C->Returns.insert(&Call);
      HandsOn = !OfCallee[ModuleView::callee(*Call.Call)].isTooMuch(*Call.Call);
      break;
    case PlannedCall::Wrap:
    case PlannedCall::Count:
      // Made for a job of its own.
      if ((siteOf(Call).Flags & GPUINSTR_SITE_LOCAL) &&
          !StringRef(siteOf(Call).Variable).starts_with("this->"))
        return nullptr;
      Role R = siteOf(Call).Flags & GPUINSTR_SITE_CHARGE_CALLER ? Role::Job : roleOf(Call, Origins);
      if (R == Role::Neutral)
        continue;
      HandsOn = R == Role::HandsOn && !OfKind[siteOf(Call).Op].isTooMuch(*Call.Call);
      // There and back: something happens in between.
      if (std::optional<uint64_t> D = directionOf(Call)) {
        HandsOn &= none_of(Directions, [&](const auto &Other) {
          return Other.second != *D && AlikeCalls::meet(*Other.first, *Call.Call);
        });
        Directions.emplace_back(Call.Call, *D);
      }
      C->HandsOn = true;
      break;
    }
    if (!HandsOn || Loops.contains(Call.Call->getParent()))
      return nullptr;
  }
  return C->HandsOn || !C->Forwards.empty() ? std::move(C) : nullptr;
}

/// Makes what a member keeps: by itself, or by its constructor.
bool Judge::makesMember(const PlannedCall &P) const {
  if (P.What == PlannedCall::Exit || !StringRef(siteOf(P).Variable).starts_with("this->"))
    return false;
  const Site &S = siteOf(P);
  if (S.Op == GPUINSTR_OP_ALLOC || S.Op == GPUINSTR_OP_CREATE)
    return true;
  const Function *Callee = ModuleView::callee(*P.Call);
  return S.Op == GPUINSTR_OP_CALLER && (S.Flags & GPUINSTR_SITE_RECEIVES) && Callee &&
         !Callee->isDeclaration() && Reaching.contains(*Callee);
}

bool Judge::makesSeveralMembers(const PlannedFunction &P) const {
  StringRef First;
  if (!isConstructor(P.F->getName()))
    return false;
  for (const PlannedCall &Call : P.Calls)
    if (makesMember(Call)) {
      StringRef Variable = siteOf(Call).Variable;
      if (!First.empty() && Variable != First)
        return true;
      First = Variable;
    }
  return false;
}

/// layer.weights, made->bias: no parameter's, which the caller's words name.
bool Judge::fillsMember(const PlannedCall &P) const {
  if (P.What == PlannedCall::Exit || P.What == PlannedCall::Announce)
    return false;
  const Site &S = siteOf(P);
  const StringRef Variable = S.Variable, Object = Variable.substr(0, Variable.find_first_of(".-"));
  return (S.Op == GPUINSTR_OP_ALLOC || S.Op == GPUINSTR_OP_CREATE) && Object != Variable &&
         Object != "this" && !Object.starts_with("(") && !is_contained(S.Parameters, Object.str());
}

bool Judge::fillsSeveral(const PlannedFunction &P) const {
  DenseMap<const Function *, StringRef> First; // null: what is made here
  for (const PlannedCall &Call : P.Calls) {
    if (Call.What == PlannedCall::Exit)
      continue;
    const Site &S = siteOf(Call);
    const StringRef Variable = S.Variable;
    const Function *From = nullptr;
    if (!fillsMember(Call)) {
      From = Call.What == PlannedCall::Announce ? ModuleView::callee(*Call.Call) : nullptr;
      const bool Lasts =
          Variable.starts_with("*") || Variable.find_first_of(".-") != StringRef::npos;
      if (!From || !(S.Flags & GPUINSTR_SITE_RECEIVES) || !Lasts)
        continue;
    }
    auto [It, New] = First.try_emplace(From, Variable);
    if (!New && It->second != Variable)
      return true;
  }
  return false;
}

/// Code that reaches CUDA otherwise than through a wrapper or a check is a job. Where it only gives
/// a stream, it may make that.
bool Judge::isWrapper(const Candidate &C) {
  bool HandsOn = C.HandsOn;
  if (C.Named)
    return true;
  for (const PlannedCall &Call : C.Planned->Calls) {
    if (Call.What != PlannedCall::Announce)
      continue;
    const Function *Callee = knownCallee(Call);
    bool Forwards = is_contained(C.Forwards, &Call);
    if (Callee && View.kind(*Callee) == CodeKind::User)
      Forwards &= Candidates.count(Callee) != 0;
    if (Callee && !Forwards && !Checks.contains(Callee) && !Streams.isStream(*Call.Call))
      return false;
    HandsOn |= Forwards;
  }
  return HandsOn;
}

} // namespace

void markWrappers(std::vector<PlannedFunction> &Planned, ModuleView &View,
                  const CudaReachability &Reaching, DescriptorEmitter &Sites) {
  Judge All(View, Reaching, Sites);
  All.findChecks(Planned);
  for (PlannedFunction &P : Planned) {
    P.MakesMembers = All.makesSeveralMembers(P);
    const bool Several = P.MakesMembers || All.fillsSeveral(P);
    for (const PlannedCall &Call : P.Calls)
      if ((P.MakesMembers && Call.What != PlannedCall::Announce && All.makesMember(Call)) ||
          (Several && All.fillsMember(Call)))
        Sites.flag(Call.Site, GPUINSTR_SITE_RECEIVES);
    std::unique_ptr<Candidate> C;
    if (!Several || P.IsNamedWrapper)
      C = All.candidate(P);
    if (C)
      All.Candidates[P.F] = std::move(C);
    P.IsWrapper = View.kind(*P.F) == CodeKind::System;
  }
  for (bool Changed = true; Changed;) {
    SmallVector<const Function *, 8> None;
    for (auto &[F, C] : All.Candidates)
      if (!All.isWrapper(*C))
        None.push_back(F);
    for (const Function *F : None)
      All.Candidates.erase(F);
    Changed = !None.empty();
  }
  for (auto &[F, C] : All.Candidates) {
    C->Planned->IsWrapper = true;
    for (const PlannedCall &Call : C->Planned->Calls)
      if (Call.What == PlannedCall::Announce ? is_contained(C->Forwards, &Call)
                                             : Call.What != PlannedCall::Exit) {
        Sites.nameMembers(Call.Site);
        Sites.flag(Call.Site, GPUINSTR_SITE_WRAPPER |
                                  (Call.What == PlannedCall::Announce ? GPUINSTR_SITE_NAMES : 0) |
                                  (C->Returns.contains(&Call) ? GPUINSTR_SITE_RECEIVES : 0));
      }
  }
}

} // namespace gpuinstr
