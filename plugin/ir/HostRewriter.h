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

class SiteTable;

/// Rewrites a module once; a second run finds the named metadata "gpuinstr" and does nothing.
/// Device modules are left alone. Table may be null: names then come from the debug locations.
class HostRewriterPass : public llvm::PassInfoMixin<HostRewriterPass> {
public:
  HostRewriterPass(std::shared_ptr<SiteTable> Table, RewriteOptions Options)
      : Table(std::move(Table)), Options(std::move(Options)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<SiteTable> Table;
  RewriteOptions Options;
};

/// Adds the pass at the start of every pipeline that PB builds, -O0 included. For use in
/// CodeGenOptions::PassBuilderCallbacks: the table is read when the pass runs, so it may still be
/// empty here. llvmGetPassPluginInfo of PassPlugin.cpp does the same without a table.
void registerHostRewriter(llvm::PassBuilder &PB, std::shared_ptr<SiteTable> Table,
                          const RewriteOptions &Options);

} // namespace gpuinstr

#endif
