// CUDA's device functions whose bodies cannot be seen, and what is known of them all the same.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_KNOWNFUNCTIONS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_KNOWNFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

/// Its name if the function is CUDA's, the C library's or the compiler's own; "" if the program
/// defines it: then its body counts.
llvm::StringRef systemFunctionName(const clang::FunctionDecl &F, KernelAccess &Whole);

/// Computes its result from its arguments alone: no memory, no other thread, no clock.
bool isPureFunction(llvm::StringRef Name);
/// A builtin of the compiler that makes a number of numbers: `__builtin_inff()`, which INFINITY is.
bool isNumberBuiltin(const clang::FunctionDecl &F);
/// `tex2D<float>(texture, x, y)`: reads what the texture object was made for, and writes nothing
/// but what it gets the address of. That memory is nobody's argument: the runtime counts it as read
/// and written for good as soon as an object is made for it.
bool isTextureFunction(llvm::StringRef Name);
bool isSurfaceFunction(llvm::StringRef Name);
/// Ends whatever others do. Barriers of a block are among these: all of its threads are resident
/// together, so they wait for nobody else.
bool isEndingFunction(llvm::StringRef Name);

} // namespace gpuinstr

#endif
