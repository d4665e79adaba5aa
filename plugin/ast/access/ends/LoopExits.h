// Whether the loops of a function leave by themselves.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ENDS_LOOPEXITS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ENDS_LOOPEXITS_H

#include "ast/access/ends/LocalValues.h"

namespace gpuinstr {

/// True if each loop is one of these:
/// - its condition reads only constants, parameters by value, thread indices and local variables,
///   at least one of them assigned in the loop, and none from memory, from another thread, or where
///   memory or another thread decides whether it is assigned;
/// - its condition compares, among what else must hold, a local integer that moves by a fixed step
///   in every round with a bound that it will reach, wherever the bound comes from;
/// - it runs over an array of known size.
/// Jumps are not looked at: SurelyEnds refuses them.
/// Followed: the parameters, as bits, that must refer to a variable of the caller for that.
bool loopsEnd(KernelAccess &Whole, const clang::FunctionDecl &F, uint32_t &Followed);

} // namespace gpuinstr

#endif
