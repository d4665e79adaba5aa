// The IR half of the plugin: wraps every CUDA call of a host module in enter and leave.
// SPDX-License-Identifier: Apache-2.0
#include "ir/HostRewriter.h"
#include "SiteTable.h"
#include "compat/LLVMCompat.h"
#include "embed/BootstrapLinker.h"
#include "ir/CompactCalls.h"
#include "ir/LocalMemory.h"
#include "ir/SitePlanner.h"
#include "ir/Wrappers.h"
#include "ir/analysis/CudaReachability.h"
#include "ir/analysis/ModuleView.h"
#include "ir/emit/CallWrapper.h"
#include "ir/emit/Descriptors.h"
#include "ir/emit/NvtxRanges.h"
#include "ir/emit/PublicApi.h"
#include "ir/emit/SiteListing.h"
#include "ir/emit/Thunks.h"
#include "ir/late/CodeRanges.h"
#include "ir/late/MergedLaunches.h"
#include "ir/late/RuntimeFunctions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr StringLiteral Mark = "gpuinstr";

/// The descriptors' layout is that of a 64-bit host.
bool isHost(const Module &M) {
  Triple T = compat::targetTriple(M);
  return !T.isNVPTX() && !T.isAMDGPU() && !T.isSPIRV() && T.isArch64Bit() &&
         M.getDataLayout().getPointerSizeInBits() == 64;
}

/// Its name alone says that the pass ran: LTO and -save-temps bring modules here again.
void mark(Module &M) {
  NamedMDNode *Node = M.getOrInsertNamedMetadata(Mark);
  if (!Node->getNumOperands())
    Node->addOperand(MDNode::get(M.getContext(), MDString::get(M.getContext(), GPUINSTR_VERSION)));
}

/// A coroutine's frame may move between threads and off the stack: the call goes into a function
/// of its own. Calls through pointers stay as they are there.
void wrapInCoroutine(const PlannedCall &P, const DescriptorEmitter &Sites) {
  Function *Callee = ModuleView::callee(*P.Call);
  if (!Callee)
    return;
  Thunk T = makeThunk(*Callee, "__gpuinstr_call");
  T.F->addFnAttr(Attribute::NoInline);
  P.Call->setCalledOperand(T.F);
  CallWrapper(*T.F, 0, nullptr, nullptr).wrap(*T.Call, Sites.address(P.Site), P.passed());
}

void rewrite(const PlannedFunction &Planned, const DescriptorEmitter &Sites, unsigned Depth) {
  if (Planned.Calls.empty())
    return;
  bool Coroutine = Planned.F->isPresplitCoroutine();
  CallWrapper Wrapper(*Planned.F, Depth, ModuleView::hash(*Planned.F), Sites.anyAddress());
  for (const PlannedCall &P : Planned.Calls) {
    switch (P.What) {
    case PlannedCall::Wrap:
      if (Coroutine)
        wrapInCoroutine(P, Sites);
      else
        Wrapper.wrap(*P.Call, Sites.address(P.Site), P.passed());
      break;
    case PlannedCall::Count:
      Wrapper.count(*P.Call, Sites.address(P.Site));
      break;
    case PlannedCall::Announce:
      Wrapper.announce(*P.Call, Sites.address(P.Site));
      break;
    case PlannedCall::Exit:
      Wrapper.beforeExit(*P.Call);
      break;
    }
  }
}

/// A wrapper's row stands where its wrappers end, and that of what has no line of its own as well.
unsigned depthOf(const PlannedFunction &P, const RewriteOptions &Options) {
  if (P.IsWrapper || (P.FillsParameters && Options.Callers))
    return GPUINSTR_MAX_CALLERS;
  // What a member's constructor makes is told by the line that constructs the whole object.
  return P.MakesMembers ? std::max(Options.Callers, 2u) : Options.Callers;
}

/// What is made where a parameter says has the name of a caller further off; nothing else in such a
/// function is told by who that is.
void endCallers(ArrayRef<PlannedFunction> Planned, DescriptorEmitter &Sites) {
  for (const PlannedFunction &P : Planned)
    for (const PlannedCall &Call : P.Calls)
      if (P.FillsParameters && !P.IsWrapper && !P.MakesMembers && Call.What != PlannedCall::Exit &&
          !(Sites.sites()[Call.Site].Flags & GPUINSTR_SITE_THROUGH))
        Sites.flag(Call.Site, GPUINSTR_SITE_LAST_CALLER);
}

/// Plans an instrumented function for each entry point whose address is taken.
void planThunks(ArrayRef<TakenAddress> Taken, ModuleView &View, SitePlanner &Planner,
                DescriptorEmitter &Sites, bool Callers, std::vector<PlannedFunction> &Planned) {
  for (const TakenAddress &T : Taken) {
    const ApiMatch &Api = *View.api(*T.EntryPoint);
    Site S = Planner.siteOf(T, Api);
    Thunk Made = makeThunk(*T.EntryPoint, "__gpuinstr_address." + T.EntryPoint->getName());
    PlannedCall P{Made.Call, PlannedCall::Wrap};
    P.Entry = Api.Entry;
    P.PassResult = true;
    if (P.Entry)
      S.Slots = CallWrapper::slotsOf(*Made.Call, *P.Entry);
    P.Site = Sites.add(std::move(S));
    replaceAddress(*T.EntryPoint, *Made.F);
    Planned.push_back({Made.F, {P}, /*TakesCallers=*/true, false, /*IsWrapper=*/Callers});
  }
}

void list(const DescriptorEmitter &Sites, const SiteTable *Table, const Module &M,
          ArrayRef<std::string> Addresses, const RewriteOptions &Options) {
  if (Options.ListSitesFile.empty())
    return listSites(outs(), Sites.sites(), Table, M, Addresses);
  std::error_code Error;
  raw_fd_ostream File(Options.ListSitesFile, Error);
  if (Error)
    M.getContext().emitError("gpuinstr: list-sites: " + Options.ListSitesFile + ": " +
                             Error.message());
  else
    listSites(File, Sites.sites(), Table, M, Addresses);
}

void finish(const Unfinished &Made) {
  Made.Sites->complete();
  Made.Short->hideFunctions();
}

std::optional<Bootstrap> readBootstrap(Module &M) {
  Expected<Bootstrap> Code = Bootstrap::read(M.getContext());
  if (Code)
    return std::move(*Code);
  M.getContext().emitError("gpuinstr: " + toString(Code.takeError()));
  return std::nullopt;
}

} // namespace

/// Set where this compilation has an AST: the pass of -fpass-plugin then leaves the module to the
/// one that knows names, whichever comes first.
static bool TableExists = false;

PreservedAnalyses HostRewriterPass::run(Module &M, ModuleAnalysisManager &) {
  if (Options.Off || !isHost(M) || M.getNamedMetadata(Mark) || (TableExists && !Table))
    return PreservedAnalyses::all();
  mark(M);

  ModuleView View(M, Table.get());
  CudaReachability Reaching(M, View);
  Unfinished Made{std::make_shared<DescriptorEmitter>(M),
                  std::make_shared<CompactCalls>(M, Options.Callers)};
  DescriptorEmitter &Sites = *Made.Sites;
  CompactCalls &Short = *Made.Short;
  SitePlanner Planner(M, View, Reaching, Table.get(), Options, Sites);
  std::vector<PlannedFunction> Planned = Planner.plan();
  if (Options.Callers) {
    markLocalMemory(Planned, View, Sites);
    markWrappers(Planned, View, Reaching, Sites);
  }
  if (Options.Callers == 1)
    endCallers(Planned, Sites);
  TakenAddresses Addresses = findTakenAddresses(M, View);
  planThunks(Addresses.Wrappable, View, Planner, Sites, Options.Callers != 0, Planned);
  std::optional<Bootstrap> Code;
  // A unit that only ends the process must have found the runtime by then: a forked child cannot
  // safely load it.
  const bool Describes = !Sites.empty() || !Addresses.Unseen.empty() || !Planned.empty();
  if (Describes && !(Code = readBootstrap(M)))
    return PreservedAnalyses::none();
  const bool Compact = chooseCompactCalls(M, Planned, Options.Compact);
  if (Describes)
    Sites.declareSites(*Code,
                       Compact ? Short.numbered(Planned, Sites.sites().size()) : BitVector());
  for (PlannedFunction &P : Planned)
    if (P.IsCompact)
      Short.rewrite(P, depthOf(P, Options), ModuleView::hash(*P.F), Sites);
  for (const PlannedFunction &P : Planned) {
    bool Announces =
        any_of(P.Calls, [](const PlannedCall &C) { return C.What == PlannedCall::Announce; });
    rewrite(P, Sites, P.TakesCallers || Announces ? depthOf(P, Options) : 0);
  }
  bool UsesTable = fillPublicApi(M) || !Planned.empty();
  UsesTable |= hookNvtxRanges(M);
  if (Options.ListSites)
    list(Sites, Table.get(), M, Addresses.Unseen, Options);

  if (!Describes && UsesTable && !(Code = readBootstrap(M)))
    return PreservedAnalyses::none();
  if (Code) {
    GlobalVariable *Descriptor = Describes ? Sites.finish(*Code, Table.get(), Addresses.Unseen,
                                                          Options.Defaults, Later != nullptr)
                                           : nullptr;
    std::string Error =
        Code->link(M, Descriptor, Sites.packed() != nullptr,
                   Options.Runtime.empty() ? runtimeBesidePlugin() : Options.Runtime);
    if (!Error.empty())
      M.getContext().emitError("gpuinstr: " + Error);
  }
  if (Table)
    Table->release();
  if (Later)
    *Later = std::move(Made);
  else
    finish(Made);
  return PreservedAnalyses::none();
}

PreservedAnalyses CompleteSitesPass::run(Module &M, ModuleAnalysisManager &) {
  Unfinished Made = std::exchange(*Contents, {});
  if (!Made.Sites)
    return PreservedAnalyses::all();
  finish(Made);
  const bool Merged = mergeLaunches(M);
  listRuntimeFunctions(M);
  listCode(M);
  if (Merged)
    return PreservedAnalyses::none();
  PreservedAnalyses Functions; // no function has changed
  Functions.preserveSet<AllAnalysesOn<Function>>();
  Functions.preserve<FunctionAnalysisManagerModuleProxy>();
  return Functions;
}

void registerHostRewriter(PassBuilder &PB, std::shared_ptr<SiteTable> Table,
                          const RewriteOptions &Options) {
  TableExists |= Table != nullptr;
  auto Later = std::make_shared<Unfinished>();
  PB.registerPipelineStartEPCallback(
      [Table, Options, Later](ModulePassManager &Manager, OptimizationLevel) {
        Manager.addPass(HostRewriterPass(Table, Options, Later));
      });
  compat::atOptimizerEnd(
      PB, [Later](ModulePassManager &Manager) { Manager.addPass(CompleteSitesPass(Later)); });
}

} // namespace gpuinstr
