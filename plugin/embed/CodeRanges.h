// Which code of a linked image was compiled with the plugin: by that the runtime finds the calls of
// object files that were not.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_EMBED_CODERANGES_H
#define GPUINSTR_PLUGIN_EMBED_CODERANGES_H

#include "llvm/IR/Module.h"
#include <utility>

namespace gpuinstr {

/// Begin and end of the image's list of gpuinstr_code, for a module whose code is final once its
/// pipeline ends; null where a later link inlines functions into others.
std::pair<llvm::Constant *, llvm::Constant *> codeRanges(llvm::Module &M, bool IsFinal);

/// Has the compiler list each function that refers to one of CUDA's, or to the bootstrap. Behind
/// all passes that move code.
void listCode(llvm::Module &M);

} // namespace gpuinstr

#endif
