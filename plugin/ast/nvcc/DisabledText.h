// What cudafe++ took out of the host's code: bodies of device functions, inside `#if 0`.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_DISABLEDTEXT_H
#define GPUINSTR_PLUGIN_AST_NVCC_DISABLEDTEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace gpuinstr {

/// A part of the file that cudafe++ wrote.
struct DisabledText {
  unsigned Begin = 0, End = 0; ///< offsets: from behind `#if 0` to its `#endif`
  bool Nested = false;         ///< another `#if` stands inside
};

/// The disabled text that belongs to a declaration that ends at offset End of File: nothing but
/// blanks and, behind a declaration without a body, its semicolon stand between.
std::optional<DisabledText> findDisabledText(llvm::StringRef File, unsigned End, bool HasBody);

} // namespace gpuinstr

#endif
