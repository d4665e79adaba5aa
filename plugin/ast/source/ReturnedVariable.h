// Which variable of its own a function returns.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_RETURNEDVARIABLE_H
#define GPUINSTR_PLUGIN_AST_SOURCE_RETURNEDVARIABLE_H

#include <string>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// The local variable that the function returns wherever it returns something, if it is the same
/// object all the time; else empty.
std::string returnedVariable(const clang::FunctionDecl &F);

} // namespace gpuinstr

#endif
