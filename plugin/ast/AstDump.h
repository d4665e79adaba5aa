// Debugging aid: prints the description of each call in a module, and calls that have none.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ASTDUMP_H
#define GPUINSTR_PLUGIN_AST_ASTDUMP_H

#include "llvm/IR/PassManager.h"
#include <memory>

namespace gpuinstr {

class SiteSource;

/// Joins every call of the module to its description with a table of its own and writes the result
/// to the standard output: one block per call, `unjoined` for a CUDA call or a call of the
/// program's own functions without description, kernels, and last a line of totals.
class AstDumpPass : public llvm::PassInfoMixin<AstDumpPass> {
public:
  explicit AstDumpPass(std::shared_ptr<SiteSource> Source) : Source(std::move(Source)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<SiteSource> Source;
};

} // namespace gpuinstr

#endif
