// What inline PTX does, where it can be read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_LIBRARY_INLINEASSEMBLY_H
#define GPUINSTR_PLUGIN_AST_ACCESS_LIBRARY_INLINEASSEMBLY_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace clang {
class AsmStmt;
} // namespace clang

namespace gpuinstr {

/// For each operand, outputs first as in the text: gpuinstr_access bits of the memory whose address
/// it is, Escape where (also) as a number.
using AssemblyAccess = llvm::SmallVector<uint8_t, 8>;

/// Null unless every instruction is arithmetic, an exchange between threads, or an access by an
/// address that is an operand. It ends then, unless it waits for other blocks: branches and what a
/// later PTX adds are none of these.
std::optional<AssemblyAccess> readAssembly(const clang::AsmStmt &S);
/// Of a cluster, by its barrier.
bool waitsForOtherBlocks(const clang::AsmStmt &S);

} // namespace gpuinstr

#endif
