// Where clang's headers differ between the majors that the plugin builds for (19 to 22).
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_CLANGCOMPAT_H
#define GPUINSTR_PLUGIN_CLANGCOMPAT_H

#include "clang/AST/PrettyPrinter.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Config/llvm-config.h"

namespace gpuinstr::compat {

/// The file location that CGDebugInfo::setLocation chooses for a location in a macro.
inline clang::SourceLocation debugLocation(const clang::SourceManager &SM,
                                           const clang::CodeGenOptions &CodeGen,
                                           clang::SourceLocation Loc) {
#if LLVM_VERSION_MAJOR >= 22
  if (!CodeGen.DebugInfoMacroExpansionLoc)
    return SM.getFileLoc(Loc);
#endif
  return SM.getExpansionLoc(Loc);
}

} // namespace gpuinstr::compat

#endif
