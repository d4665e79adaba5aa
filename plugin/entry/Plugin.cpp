// Entry of the plugin into clang: options, debug locations, and the pass over host code.
// SPDX-License-Identifier: Apache-2.0
#include "SiteTable.h"
#include "ast/AstDump.h"
#include "ast/SiteCollector.h"
#include "ast/source/ArchConditionals.h"
#include "entry/PluginOptions.h"
#include "ir/HostRewriter.h"
#include "simulate/EmbedDeviceCode.h"
#include "simulate/vectorize/VectorizeRows.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// True where host code of C or C++ is generated.
bool generatesHostCode(const CompilerInstance &CI) {
  const LangOptions &Lang = CI.getLangOpts();
  if (Lang.CUDAIsDevice || Lang.OpenMPIsTargetDevice || Lang.SYCLIsDevice || Lang.OpenCL)
    return false;
  switch (CI.getFrontendOpts().ProgramAction) {
  case frontend::EmitAssembly:
  case frontend::EmitBC:
  case frontend::EmitLLVM:
  case frontend::EmitLLVMOnly:
  case frontend::EmitCodeGenOnly:
  case frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

/// Removes debug locations that only the rewriter needed: they would cost the optimiser time.
struct StripLocationsPass : llvm::PassInfoMixin<StripLocationsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    return llvm::StripDebugInfo(M) ? llvm::PreservedAnalyses::none()
                                   : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Frees the AST once the passes before it have read it, where clang would have done so earlier.
struct ClearAstPass : llvm::PassInfoMixin<ClearAstPass> {
  ClearAstPass(CompilerInstance &CI, std::shared_ptr<std::shared_ptr<SiteCollector>> Reader)
      : CI(&CI), Reader(std::move(Reader)) {}
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &) {
    Reader->reset();
    CI->getASTContext().cleanup();
    CI->getASTContext().getAllocator().Reset();
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  CompilerInstance *CI;
  std::shared_ptr<std::shared_ptr<SiteCollector>> Reader;
};

/// What other plugins need of the AST nobody knows; and only a compiler that frees nothing at its
/// end may free the AST early.
bool mayClearAst(const CompilerInstance &CI) {
  auto Plugins = FrontendPluginRegistry::entries();
  return CI.getCodeGenOpts().ClearASTBeforeBackend && CI.getFrontendOpts().DisableFree &&
         std::distance(Plugins.begin(), Plugins.end()) == 1;
}

template <class Pass> void addAtStart(CodeGenOptions &CodeGen, std::function<Pass()> Make) {
  CodeGen.PassBuilderCallbacks.push_back([Make](llvm::PassBuilder &PB) {
    PB.registerPipelineStartEPCallback(
        [Make](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) { MPM.addPass(Make()); });
  });
}

/// Embeds the device code in the host's, and vectorises its loops over threads.
void addSimulation(CodeGenOptions &CodeGen, std::shared_ptr<const DeviceJob> Job) {
  addAtStart<EmbedDeviceCodePass>(CodeGen, [Job] { return EmbedDeviceCodePass(Job); });
  if (CodeGen.VectorizeLoop)
    CodeGen.PassBuilderCallbacks.push_back(registerVectorizeRows);
}

/// Records top-level declarations; the collector reads them when the IR pass asks.
class NotingConsumer : public ASTConsumer {
public:
  NotingConsumer(CompilerInstance &CI, std::shared_ptr<SiteTable> Table,
                 std::shared_ptr<std::shared_ptr<SiteCollector>> Collector)
      : CI(CI), Table(std::move(Table)), Collector(std::move(Collector)) {
    // Preprocessed text no longer shows what depends on __CUDA_ARCH__.
    if (CI.getLangOpts().CUDA && !CI.getFrontendOpts().DashX.isPreprocessed())
      Arch = ArchConditionals::attach(CI.getPreprocessor());
  }

  void Initialize(ASTContext &Context) override {
    *Collector = std::make_shared<SiteCollector>(CI, Context, Arch);
    Table->setSource(*Collector);
  }
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      (*Collector)->note(D);
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl *D) override { (*Collector)->note(D); }

private:
  CompilerInstance &CI;
  std::shared_ptr<ArchConditionals> Arch;
  std::shared_ptr<SiteTable> Table;
  std::shared_ptr<std::shared_ptr<SiteCollector>> Collector; ///< also read by the dump
};

class Action : public PluginASTAction {
protected:
  ActionType getActionType() override { return AddBeforeMainAction; }

  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Args) override {
    // Once per compile, not again for the device half.
    if (!generatesHostCode(CI))
      return true;
    std::string Problem = parsePluginArgs(Args, Options);
    if (!Problem.empty()) {
      DiagnosticsEngine &Diagnostics = CI.getDiagnostics();
      Diagnostics.Report(Diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "gpuinstr: %0"))
          << Problem;
      return false;
    }
    if (Options.Help)
      llvm::outs() << pluginHelp();
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    if (!generatesHostCode(CI))
      return std::make_unique<ASTConsumer>();
    CodeGenOptions &CodeGen = CI.getCodeGenOpts();
    std::shared_ptr<const DeviceJob> Simulated;
    if (Options.Simulate && CI.getLangOpts().CUDA)
      Simulated = std::make_shared<DeviceJob>(planDeviceCompile(CI, Options.SimulateArch));
    if (Options.Off) {
      if (Simulated)
        addSimulation(CodeGen, Simulated);
      return std::make_unique<ASTConsumer>();
    }
    // Locations on every call, and no .debug_ section in the output.
    const bool Untracked = CodeGen.getDebugInfo() == llvm::codegenoptions::NoDebugInfo;
    if (Untracked)
      CodeGen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
    // The pass reads the AST.
    const bool Clears = mayClearAst(CI);
    CodeGen.ClearASTBeforeBackend = false;

    auto Table = std::make_shared<SiteTable>();
    auto Collector = std::make_shared<std::shared_ptr<SiteCollector>>();
    if (Options.DumpAst)
      addAtStart<AstDumpPass>(CodeGen, [Collector] { return AstDumpPass(*Collector); });
    CodeGen.PassBuilderCallbacks.push_back([Table, Options = Options](llvm::PassBuilder &PB) {
      registerHostRewriter(PB, Table, Options);
    });
    if (Simulated)
      addSimulation(CodeGen, Simulated);
    // gcov's notes are made of debug information, with -g or without.
    const bool Coverage = !CodeGen.CoverageNotesFile.empty() || !CodeGen.CoverageDataFile.empty();
    if (Untracked && !Coverage)
      addAtStart<StripLocationsPass>(CodeGen, [] { return StripLocationsPass(); });
    if (Clears)
      addAtStart<ClearAstPass>(CodeGen, [&CI, Collector] { return ClearAstPass(CI, Collector); });
    return std::make_unique<NotingConsumer>(CI, std::move(Table), std::move(Collector));
  }

private:
  PluginOptions Options;
};

} // namespace
} // namespace gpuinstr

static FrontendPluginRegistry::Add<gpuinstr::Action>
    Registered("gpuinstr", "instruments CUDA call sites of host code");
