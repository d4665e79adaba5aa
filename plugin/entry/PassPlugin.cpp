// -fpass-plugin and opt: the IR half alone, with names from the debug locations.
// SPDX-License-Identifier: Apache-2.0
#include "SiteTable.h"
#include "compat/LLVMCompat.h"
#include "ir/HostRewriter.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "gpuinstr", GPUINSTR_VERSION, [](PassBuilder &PB) {
            gpuinstr::registerHostRewriter(PB, nullptr, gpuinstr::RewriteOptions());
            PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &Manager,
                                                  ArrayRef<PassBuilder::PipelineElement>) {
              if (Name != "gpuinstr")
                return false;
              Manager.addPass(gpuinstr::HostRewriterPass(nullptr, gpuinstr::RewriteOptions()));
              return true;
            });
          }};
}
