// Headers of the compiler and its libraries, by their folders.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_CONDITIONS_COMPILERFILES_H
#define GPUINSTR_PLUGIN_AST_CONDITIONS_COMPILERFILES_H

#include "llvm/ADT/StringRef.h"

namespace gpuinstr {

/// Headers of the compiler, its libraries, the system and CUDA. Others that the build calls system
/// headers (`-isystem`) are looked at like the program's own.
bool isOfCompiler(llvm::StringRef Path);
/// The folder of CUDA's headers that the file lies in, "" for none.
llvm::StringRef cudaFolderOf(llvm::StringRef Path);

} // namespace gpuinstr

#endif
