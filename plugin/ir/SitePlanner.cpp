// Decides which calls of a module become sites, and what each site says.
// SPDX-License-Identifier: Apache-2.0
#include "ir/SitePlanner.h"
#include "base/text/Glob.h"
#include "ir/analysis/Launches.h"
#include "ir/analysis/ModuleNames.h"
#include "ir/emit/CallWrapper.h"
#include "ir/waits/QuietWaits.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr uint32_t StatusFlags =
    GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;

bool isExit(StringRef Name) {
  return Name == "_exit" || Name == "_Exit" || Name == "quick_exit" || Name == "exit";
}

bool isOuter(CodeKind Kind) { return Kind == CodeKind::User || Kind == CodeKind::System; }

std::string withoutTemplateArguments(StringRef Name) {
  std::string Out;
  unsigned Depth = 0;
  for (char C : Name) {
    Depth += C == '<';
    if (!Depth)
      Out += C;
    Depth -= C == '>' && Depth;
  }
  return Out;
}

bool matchesAny(const std::vector<std::string> &Globs, StringRef Text) {
  return any_of(Globs, [&](const std::string &G) { return globMatch(G, Text); });
}

bool matchesFunction(const std::vector<std::string> &Globs, StringRef Function) {
  return !Globs.empty() &&
         (matchesAny(Globs, Function) || matchesAny(Globs, withoutTemplateArguments(Function)));
}

bool isCalledTwice(const Function *F) {
  if (!F)
    return false;
  unsigned Calls = 0;
  for (const Use &U : F->uses())
    if (const auto *Call = dyn_cast<CallBase>(U.getUser()); Call && Call->isCallee(&U))
      if (++Calls == 2)
        return true;
  return false;
}

} // namespace

uint32_t SitePlanner::functionFlags(const PlannedFunction &In, CodeKind Kind) {
  if (Kind == CodeKind::User || In.IsNamedWrapper)
    return 0;
  // No line of std:: is the program's: the calling line is.
  return Kind == CodeKind::System ? GPUINSTR_SITE_CHARGE_CALLER : GPUINSTR_SITE_INNER;
}

uint32_t SitePlanner::scopeFlags(const Site &S) const {
  auto In = [&](const std::vector<std::string> &Globs) {
    return matchesAny(Globs, S.File) || matchesFunction(Globs, S.Function);
  };
  bool Out = (!Options.Include.empty() && !In(Options.Include)) || In(Options.Exclude);
  return Out ? GPUINSTR_SITE_EXCLUDED : 0;
}

std::string SitePlanner::spelledFile(const DIFile *File) {
  auto Known = SpelledFiles.find(File);
  if (Known != SpelledFiles.end())
    return Known->second;
  std::string Name = File->getFilename().str(), Main = sourceName(M);
  if (!sys::path::is_absolute(Name) && sys::path::is_absolute(Main)) {
    SmallString<128> Full(File->getDirectory());
    sys::path::append(Full, Name);
    if (Full == Main)
      Name = Main;
  }
  return SpelledFiles[File] = Name;
}

void SitePlanner::place(Site &S, const Function *In, const Instruction *Where) {
  if (S.Function.empty() && In)
    S.Function = View.name(*In);
  if (const DILocation *Loc = Where ? Where->getDebugLoc().get() : nullptr) {
    if (S.File.empty())
      S.File = spelledFile(Loc->getFile());
    if (!S.Line) {
      S.Line = Loc->getLine();
      S.Column = Loc->getColumn();
    }
  }
  if (S.File.empty())
    S.File = In && In->getSubprogram() && In->getSubprogram()->getFile()
                 ? spelledFile(In->getSubprogram()->getFile())
                 : sourceName(M);
  if (isTemporaryFile(S.File)) {
    S.File = sourceName(M);
    S.Line = S.Column = 0;
  }
  if (In)
    S.OwnHash = ModuleView::hash(*In);
}

/// Everything but the operation: from the AST where the call can be joined, else from the IR.
/// `cudaError_t error = cudaMemcpy(...);`, and nothing looks at `error`.
static bool isNeverRead(const CallBase &Call) {
  auto IsWrittenOnly = [](const AllocaInst &Local) {
    return all_of(Local.users(), [&](const User *U) {
      const auto *Store = dyn_cast<StoreInst>(U);
      return (Store && Store->getPointerOperand() == &Local && !Store->isVolatile()) ||
             isa<LifetimeIntrinsic>(U);
    });
  };
  return !Call.use_empty() && all_of(Call.users(), [&](const User *U) {
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *Local = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    return Local && IsWrittenOnly(*Local);
  });
}

Site SitePlanner::describe(const CallBase &Call, const Function *Callee, uint32_t Flags) {
  const Function &In = *Call.getFunction();
  Site S;
  S.Flags = Flags;
  const DILocation *Loc = Call.getDebugLoc().get();
  const CallDescription *D = nullptr;
  if (Table && Loc)
    D = Table->take(mangledSymbol(In.getName()).str(), Loc->getLine(), Loc->getColumn(),
                    Callee ? mangledSymbol(Callee->getName()).str() : "");
  if (D) {
    S.File = D->File;
    if (!D->File.empty())
      SpelledFiles.try_emplace(Loc->getFile(), D->File);
    S.Line = D->Line;
    S.Column = D->Column;
    S.Function = D->Function;
    S.Callee = D->Callee;
    S.Variable = D->Variable;
    S.Type = D->Type;
    S.Ignore = D->Ignore;
    S.Arguments = D->Arguments;
    S.Members = D->Members;
    S.Parameters = D->Parameters;
    if (D->ReceivesResult)
      S.Flags |= GPUINSTR_SITE_RECEIVES;
    if (D->ReceivesResult ? D->ReceivesNew : D->IsBehindPointer)
      S.Flags |= GPUINSTR_SITE_NEW;
    S.FillsParameter = D->FillsParameter;
    S.IsOwnObject = D->IsOwnObject;
    S.KernelIsGiven = D->KernelIsGiven;
    S.ReturnsHeld = D->ReturnsHeld;
  }
  place(S, &In, &Call);
  if (S.Callee.empty() && Callee)
    S.Callee = View.name(*Callee);
  bool Discarded = (D ? D->Discarded : Call.use_empty()) || isNeverRead(Call);
  if (Discarded && !Call.getType()->isVoidTy() && !(Flags & GPUINSTR_SITE_INNER))
    S.Flags |= GPUINSTR_SITE_DISCARDED;
  S.Flags |= scopeFlags(S);
  return S;
}

/// cudaMalloc(out, n) in make(float **out, size_t n), cudaMalloc(&out, n) in make(float *&out,
/// ...): the caller's line knows the variable, or its caller's, if it hands on such a parameter,
/// too.
static bool isMadeThroughParameter(const Site &S) {
  if (S.Op == GPUINSTR_OP_CALLER)
    return S.FillsParameter;
  StringRef Variable = S.Variable;
  const bool IsPointed = Variable.consume_front("*");
  return (S.Op == GPUINSTR_OP_ALLOC || S.Op == GPUINSTR_OP_CREATE) &&
         (IsPointed || S.FillsParameter) && is_contained(S.Parameters, Variable.str());
}

void SitePlanner::addSite(Site S, PlannedCall Planned, PlannedFunction &Out) {
  if (isMadeThroughParameter(S))
    S.Flags |= GPUINSTR_SITE_THROUGH;
  if (Planned.What == PlannedCall::Wrap && CallWrapper::isFinal(*Planned.Call)) {
    Planned.What = PlannedCall::Count;
    S.Flags |= GPUINSTR_SITE_NO_LEAVE;
    S.Slots = 0;
  }
  Out.TakesCallers |= S.Op != GPUINSTR_OP_CALLER && !(S.Flags & GPUINSTR_SITE_INNER);
  Out.FillsParameters |= (S.Flags & GPUINSTR_SITE_THROUGH) != 0;
  Planned.Site = Sites.add(std::move(S));
  Out.Calls.push_back(Planned);
}

void SitePlanner::planApi(CallBase &Call, Function &Callee, const ApiMatch &Api, CodeKind Kind,
                          PlannedFunction &Out) {
  Site S = describe(Call, &Callee, functionFlags(Out, Kind) | Api.Flags);
  bool PerThread;
  if (S.Callee == View.name(Callee) || S.Callee == Callee.getName())
    S.Callee = plainApiName(Callee.getName(), PerThread).str();
  if (ModuleView::isLaunchHelper(Callee))
    S.Callee = "cudaLaunchKernel";
  S.Op = Api.Op;
  S.Resource = Api.Resource;
  S.Detail = Api.Detail;
  if (Api.Op == GPUINSTR_OP_SYNC_DEVICE || Api.Op == GPUINSTR_OP_SYNC_STREAM) {
    const QuietWaits::Behind Behind = Waits.behindWait(Call);
    S.Flags |= Behind.Flags;
    S.Detail = Behind.Next;
  }
  S.Flags |= Waits.flagsIn(Call);
  if (S.Flags & GPUINSTR_SITE_QUIET_IN && isQueuedTransfer(Call, Api) && Waits.tellsBehind(Call))
    S.Flags |= GPUINSTR_SITE_TELLS_BEHIND;
  PlannedCall P{&Call, PlannedCall::Wrap};
  P.Entry = Api.Entry;
  P.PassResult = Api.Flags & StatusFlags;
  if (P.Entry) {
    S.Slots = CallWrapper::slotsOf(Call, *P.Entry);
    if (Api.Op == GPUINSTR_OP_LAUNCH)
      P.Func = stubOfHandle(Call);
  }
  P.PassPointers = Api.TouchesGiven && CallWrapper::hasPlainPointers(Call);
  if (P.PassPointers)
    S.Slots |= CallWrapper::PointerSlots;
  if (P.PassPointers && Api.ReadsConst)
    P.OnlyRead = View.pointersToConst(*ModuleView::callee(Call));
  if (P.OnlyRead)
    S.Slots |= 1u << GPUINSTR_SLOT_KIND;
  addSite(std::move(S), P, Out);
}

/// CUB asks for the memory that it may need, which its kernels do not always get.
static bool isGivenMemory(const Site &S, const CallBase &Call) {
  return S.Op == GPUINSTR_OP_REGION && StringRef(S.Callee).starts_with("cub::") &&
         any_of(Call.args(), [](const Use &A) {
           return A->getType()->isPointerTy() && !isa<ConstantPointerNull>(A);
         });
}

/// A launch, a wrapper of CUDA's headers or a header-only library's call: what happens inside it
/// is charged to it, and gives the operands.
void SitePlanner::planOuter(CallBase &Call, const ApiMatch &Api, CodeKind Kind,
                            PlannedFunction &Out) {
  Site S = describe(Call, ModuleView::callee(Call), functionFlags(Out, Kind) | Api.Flags);
  S.Op = Api.Op;
  S.Resource = Api.Resource;
  S.Detail = Api.Detail;
  S.Flags |= Waits.flagsIn(Call);
  PlannedCall P{&Call, PlannedCall::Wrap};
  P.PassResult = Api.Flags & StatusFlags;
  P.PassPointers = isGivenMemory(S, Call);
  if (P.PassPointers)
    S.Slots |= CallWrapper::PointerSlots;
  addSite(std::move(S), P, Out);
}

void SitePlanner::planAnnounce(CallBase &Call, const Function *Callee, PlannedFunction &Out) {
  const DILocation *Loc = Call.getDebugLoc().get();
  if (!Options.Callers || !Loc || !Loc->getLine())
    return;
  // A destructor's variants call each other: the same function to its caller.
  if (Callee && ModuleView::symbol(*Callee) == ModuleView::symbol(*Out.F))
    return;
  Site S = describe(Call, Callee, 0);
  S.Op = GPUINSTR_OP_CALLER;
  S.Flags &= GPUINSTR_SITE_EXCLUDED | GPUINSTR_SITE_RECEIVES | GPUINSTR_SITE_NEW;
  if (S.IsOwnObject)
    S.Flags |= GPUINSTR_SITE_OWN_OBJECT;
  const QuietWaits::Behind Behind = Waits.behindCall(Call, Callee);
  S.Flags |= Behind.Flags;
  S.Flags |= Waits.flagsIn(Call);
  const bool MayBeNext = !Callee || Callee->isDeclaration() || S.Flags & GPUINSTR_SITE_QUIET_IN;
  if (MayBeNext && Waits.tellsBehind(Call))
    S.Flags |= GPUINSTR_SITE_TELLS_BEHIND;
  S.Detail = Behind.Next;
  S.Slots = Waits.numberOf(Call);
  if (Callee && View.kind(*Callee) == CodeKind::User)
    S.CalleeHash = ModuleView::hash(*Callee);
  addSite(std::move(S), {&Call, PlannedCall::Announce}, Out);
}

void SitePlanner::planCall(CallBase &Call, CodeKind Kind, bool IsLaunch, PlannedFunction &Out) {
  if (isa<IntrinsicInst>(Call) || Call.isInlineAsm())
    return;
  if (IsLaunch) {
    ApiMatch Launch = *matchApiName("cudaLaunchKernel");
    Launch.Flags = GPUINSTR_SITE_ASYNC;
    planOuter(Call, Launch, Kind, Out);
    Out.Calls.back().IsSharedLaunch = isCalledTwice(ModuleView::callee(Call));
    return;
  }
  Function *Callee = ModuleView::callee(Call);
  if (!Callee) {
    if (Kind == CodeKind::User)
      planAnnounce(Call, nullptr, Out);
    return;
  }
  if (isExit(Callee->getName())) {
    Out.Calls.push_back({&Call, PlannedCall::Exit});
    return;
  }
  if (const std::optional<ApiMatch> &Api = View.api(*Callee))
    return planApi(Call, *Callee, *Api, Kind, Out);
  if (!isOuter(Kind))
    return;
  if (Callee->isDeclaration()) {
    if (Kind == CodeKind::User && View.isUserDeclaration(*Callee))
      planAnnounce(Call, Callee, Out);
    return;
  }
  if (!Reaching.contains(*Callee)) {
    if (Kind == CodeKind::User && (Reaching.callsBack(*Callee) || Reaching.returnsUnseen(*Callee)))
      planAnnounce(Call, Callee, Out);
    return;
  }
  switch (View.kind(*Callee)) {
  case CodeKind::Header:
  case CodeKind::Library: {
    if (ModuleView::isStub(*Callee))
      return;
    ApiMatch Region;
    Region.Op = GPUINSTR_OP_REGION;
    std::optional<ApiMatch> Api;
    if (View.kind(*Callee) == CodeKind::Header)
      Api = View.wrappedApi(*Callee);
    planOuter(Call, Api ? *Api : Region, Kind, Out);
    Out.Calls.back().IsHeaderWrapper = Api.has_value();
    return;
  }
  case CodeKind::User:
  case CodeKind::System:
    if (Kind == CodeKind::User)
      planAnnounce(Call, Callee, Out);
    return;
  }
}

void SitePlanner::planFunction(Function &F, PlannedFunction &Out) {
  CodeKind Kind = View.kind(F);
  DenseSet<const CallBase *> Launches;
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    Calls.push_back(Call);
    Function *Callee = isOuter(Kind) ? ModuleView::callee(*Call) : nullptr;
    if (Callee && Callee->getName() == "__cudaPushCallConfiguration")
      if (CallBase *Launch = guardedLaunch(*Call))
        Launches.insert(Launch);
  }
  for (CallBase *Call : Calls)
    planCall(*Call, Kind, Launches.contains(Call), Out);
}

const ApiEntry *entryOf(const PlannedCall &P, ModuleView &View) {
  const Function *Callee = ModuleView::callee(*P.Call);
  if (P.Entry || !P.IsHeaderWrapper || !Callee)
    return P.Entry;
  std::optional<ApiMatch> Api = View.wrappedApi(*Callee);
  return Api ? Api->Entry : nullptr;
}

std::vector<PlannedFunction> SitePlanner::plan() {
  std::vector<PlannedFunction> Planned;
  for (Function &F : M) {
    if (!ModuleView::isRewritable(F) || ModuleView::isLaunchHelper(F) ||
        F.getName().starts_with("__gpuinstr_"))
      continue;
    PlannedFunction P{&F, {}};
    P.IsNamedWrapper = matchesFunction(Options.Wrapper, View.name(F));
    planFunction(F, P);
    if (!P.Calls.empty())
      Planned.push_back(std::move(P));
  }
  return Planned;
}

Site SitePlanner::siteOf(const TakenAddress &Taken, const ApiMatch &Api) {
  Site S;
  bool PerThread;
  S.Callee = plainApiName(Taken.EntryPoint->getName(), PerThread).str();
  S.Op = Api.Op;
  S.Resource = Api.Resource;
  S.Detail = Api.Detail;
  // The line that calls through the pointer says more than the one that took the address.
  S.Flags = Api.Flags | GPUINSTR_SITE_CHARGE_CALLER;
  if (Taken.Holder && !Taken.Where)
    S.Function = demangle(Taken.Holder->getName().str());
  place(S, Taken.Where ? Taken.Where->getFunction() : nullptr, Taken.Where);
  S.Flags |= scopeFlags(S);
  return S;
}

} // namespace gpuinstr
