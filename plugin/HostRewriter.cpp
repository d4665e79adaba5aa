// The IR half of the plugin: wraps every CUDA call of a host module in enter and leave.
// SPDX-License-Identifier: Apache-2.0
#include "HostRewriter.h"
#include "BootstrapLinker.h"
#include "CallWrapper.h"
#include "Closure.h"
#include "Descriptors.h"
#include "LLVMCompat.h"
#include "ModuleView.h"
#include "SitePlanner.h"
#include "SiteTable.h"
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

void rewrite(const PlannedFunction &Planned, const DescriptorEmitter &Sites, unsigned Depth) {
  CallWrapper Wrapper(*Planned.F, Depth, ModuleView::hash(*Planned.F), Sites.address(0));
  for (const PlannedCall &P : Planned.Calls) {
    switch (P.What) {
    case PlannedCall::Wrap:
      Wrapper.wrap(*P.Call, Sites.address(P.Site), P.Entry, P.Func, P.PassResult);
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

} // namespace

PreservedAnalyses HostRewriterPass::run(Module &M, ModuleAnalysisManager &) {
  if (Options.Off || !isHost(M) || M.getNamedMetadata(Mark))
    return PreservedAnalyses::all();
  mark(M);

  ModuleView View(M, Table.get());
  Closure Reaching(M, View);
  DescriptorEmitter Sites(M);
  SitePlanner Planner(M, View, Reaching, Table.get(), Options, Sites);
  std::vector<PlannedFunction> Planned = Planner.plan();
  for (const PlannedFunction &P : Planned) {
    bool Announces = any_of(
        P.Calls, [](const PlannedCall &C) { return C.What == PlannedCall::Announce; });
    rewrite(P, Sites, P.TakesCallers || Announces ? Options.Callers : 0);
  }
  std::vector<std::string> Addresses;
  GlobalVariable *Descriptor =
      Sites.empty() ? nullptr : Sites.finish(Table.get(), Addresses, Options);
  if (!Planned.empty()) {
    std::string Runtime = Options.Runtime.empty() ? runtimeBesidePlugin() : Options.Runtime;
    std::string Error = linkBootstrap(M, Descriptor, Runtime);
    if (!Error.empty())
      M.getContext().emitError("gpuinstr: " + Error);
  }
  return PreservedAnalyses::none();
}

void registerHostRewriter(PassBuilder &PB, std::shared_ptr<SiteTable> Table,
                          const PluginOptions &Options) {
  PB.registerPipelineStartEPCallback(
      [Table, Options](ModulePassManager &Manager, OptimizationLevel) {
        Manager.addPass(HostRewriterPass(Table, Options));
      });
}

} // namespace gpuinstr
