// Declarations of a source that nobody parses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_DECLARATIONSCAN_H
#define GPUINSTR_PLUGIN_AST_NVCC_DECLARATIONSCAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace gpuinstr {

/// What a declaration declares, the classes around it included, and all that it mentions.
struct Declaration {
  std::vector<llvm::StringRef> Declared, Names;
  unsigned First = 0, Last = 0; ///< lines
};

/// Those outside of function bodies that declare a name. A name is taken for declared where `=`,
/// `(`, `<`, `[`, `{`, `;`, `,` or `:` follows it outside of parentheses: rather too many than too
/// few. Lines without comments. False: the braces do not close, so nobody knows what was a body.
bool scanDeclarations(llvm::ArrayRef<llvm::StringRef> Lines,
                      llvm::function_ref<void(const Declaration &)> Found);

} // namespace gpuinstr

#endif
