// The IR half of the plugin: wraps every CUDA call of a host module in enter and leave.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_HOSTREWRITER_H
#define GPUINSTR_PLUGIN_IR_HOSTREWRITER_H

#include "ir/RewriteOptions.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace gpuinstr {

class CompactCalls;
class DescriptorEmitter;
class SiteTable;

/// What one pass leaves to a later one of the same module.
struct Unfinished {
  std::shared_ptr<DescriptorEmitter> Sites;
  std::shared_ptr<CompactCalls> Short;
};
using LeftContents = std::shared_ptr<Unfinished>;

/// Rewrites a module once; a second run finds the named metadata "gpuinstr" and does nothing.
/// Device modules are left alone. Table may be null: names then come from the debug locations.
/// Later: takes the descriptors, whose contents CompleteSitesPass defines; null: defined at once.
class HostRewriterPass : public llvm::PassInfoMixin<HostRewriterPass> {
public:
  HostRewriterPass(std::shared_ptr<SiteTable> Table, RewriteOptions Options,
                   LeftContents Later = nullptr)
      : Table(std::move(Table)), Options(std::move(Options)), Later(std::move(Later)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<SiteTable> Table;
  RewriteOptions Options;
  LeftContents Later;
};

/// Behind the passes that walk whatever a function refers to.
class CompleteSitesPass : public llvm::PassInfoMixin<CompleteSitesPass> {
public:
  explicit CompleteSitesPass(LeftContents Contents) : Contents(std::move(Contents)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  LeftContents Contents;
};

/// Adds the passes at the start and the end of every pipeline that PB builds, -O0 included. For use
/// in CodeGenOptions::PassBuilderCallbacks: the table is read when the pass runs, so it may still
/// be empty here. llvmGetPassPluginInfo of PassPlugin.cpp does the same without a table.
void registerHostRewriter(llvm::PassBuilder &PB, std::shared_ptr<SiteTable> Table,
                          const RewriteOptions &Options);

} // namespace gpuinstr

#endif
