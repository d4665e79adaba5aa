// Loops that search by halves.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ENDS_BISECTION_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ENDS_BISECTION_H

#include "ast/access/ends/OuterValues.h"

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// True for `while (low < high) { middle = low + (high - low) / 2; ... }` and the like, if each way
/// through the body leaves the loop or brings one of the bounds to the middle, by one more where
/// they would stay as they are: the range gets smaller in every round, whatever memory says.
bool bisects(const LocalValues &Values, const Loop &L, const clang::FunctionDecl &F);

} // namespace gpuinstr

#endif
