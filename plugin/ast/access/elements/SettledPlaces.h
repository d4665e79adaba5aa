// Places that memory does not decide on.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_SETTLEDPLACES_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_SETTLEDPLACES_H

#include "ast/access/ends/LocalValues.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gpuinstr {

/// An element, or a member of one, of what a pointer leads to, where Accepts takes all that says
/// which: pointers and indices, and calls that return a reference.
bool isPlace(const clang::Expr *Place, llvm::function_ref<bool(const clang::Expr *)> Accepts);

/// What says where it lies comes from constants, parameters by value, thread indices, and what
/// Values.keepObject() is about: also of `view(i, j)`, whose body returns such a place by
/// reference. `Outer`: the local variables that memory decides on. `Depth`: of callees.
bool isSettledPlace(const clang::Expr *Place, KernelAccess &Whole, const LocalValues &Values,
                    const Variables &Outer, unsigned Depth = 0);

/// The same is true of all that the call gets, its object included, which it leaves as it is.
bool isSettledCall(const clang::CallExpr &Call, const LocalValues &Values, const Variables &Outer);

} // namespace gpuinstr

#endif
