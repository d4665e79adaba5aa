// Reads bitcode that was compiled into the plugin.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_EMBED_EMBEDDEDBITCODE_H
#define GPUINSTR_PLUGIN_EMBED_EMBEDDEDBITCODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace gpuinstr {

/// `Name` is for messages.
llvm::Expected<std::unique_ptr<llvm::Module>>
readBitcode(llvm::ArrayRef<unsigned char> Bytes, llvm::StringRef Name, llvm::LLVMContext &C);

/// Removes the flags and attributes of this bitcode's own compile: they would conflict with the
/// user's -fshort-wchar, -mcmodel, -fcf-protection or another -march.
void stripBuildTraces(llvm::Module &M);

} // namespace gpuinstr

#endif
