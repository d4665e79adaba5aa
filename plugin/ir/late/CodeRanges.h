// Which code of a linked image was compiled with the plugin: by that the runtime finds the calls of
// object files that were not.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_LATE_CODERANGES_H
#define GPUINSTR_PLUGIN_IR_LATE_CODERANGES_H

#include "llvm/IR/Module.h"
#include <utility>

namespace gpuinstr {

/// GPUINSTR_MODULE_WIDE_CODE.
bool hasWideCodeRanges(const llvm::Module &M);
/// Begin and end of the image's list of gpuinstr_code or gpuinstr_wide_code; null where nobody
/// calls listCode later.
std::pair<llvm::Constant *, llvm::Constant *> codeRanges(llvm::Module &M, bool IsFinal);

/// Has the compiler list each function that refers to one of CUDA's, or to the bootstrap. Behind
/// all passes that move code. Where a later link inlines functions into others (-flto), each call
/// of CUDA's goes through a function that stays by itself, and these are listed.
void listCode(llvm::Module &M);

} // namespace gpuinstr

#endif
