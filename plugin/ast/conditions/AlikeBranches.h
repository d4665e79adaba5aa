// Conditionals whose branches do the same.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_CONDITIONS_ALIKEBRANCHES_H
#define GPUINSTR_PLUGIN_AST_CONDITIONS_ALIKEBRANCHES_H

#include "llvm/ADT/StringRef.h"

namespace gpuinstr {

/// The conditional whose `if` stands at an offset into a text that ends in a zero has an `else`,
/// and its branches are the same code, but for loads: `__ldg(a + n)` is `a[n]`, `__ldg(p)` is `*p`.
/// So nobody needs to know which one is taken, unless the program has an __ldg of its own
/// (isLoadFunction).
bool areBranchesAlike(llvm::StringRef Text, unsigned Offset);

/// One of CUDA's functions that read what their argument points to, and do nothing else.
bool isLoadFunction(llvm::StringRef Name);

} // namespace gpuinstr

#endif
