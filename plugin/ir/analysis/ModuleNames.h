// Names and hashes that stay the same from build to build, and variables of both sides.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_MODULENAMES_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_MODULENAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace gpuinstr {

/// As the AST mangles it: without what -funique-internal-linkage-names appends, which
/// -fpseudo-probe-for-profiling turns on.
llvm::StringRef mangledSymbol(llvm::StringRef Symbol);
/// What the AST's symbol has become where that was appended.
llvm::StringMap<llvm::StringRef> renamedFunctions(const llvm::Module &M);

/// Main file of the module as the program's author knows it: after -ffile-prefix-map, and neither a
/// name that -save-temps made nor one of nvcc's temporary files.
std::string sourceName(const llvm::Module &M);
/// One of nvcc's temporary files, whose names differ from run to run.
bool isTemporaryFile(llvm::StringRef Path);

/// Of nvcc: clang knows none, and only declares the function that registers them.
bool hasManagedVariables(const llvm::Module &M);
/// ... among them one that an address fits into.
bool managedVariablesMayHoldAddresses(const llvm::Module &M);

/// The host's names of the module's __constant__ variables that device code of its own has.
llvm::SmallVector<llvm::GlobalVariable *, 4> constantVariables(llvm::Module &M);

/// xxh3 of a text, never 0.
uint64_t stableHash(llvm::StringRef Text);

} // namespace gpuinstr

#endif
