// Functions that CUDA's headers and its static library put around driver calls.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_CUDANAMES_H
#define GPUINSTR_ATTACH_NATIVE_CUDANAMES_H

#include <string>

namespace gpuinstr::attach {

/// By the name in a table of symbols: cudart as a static library, its templates and overloads, and
/// what the compiler puts around its calls. A program's own cudaCheck is none of them.
bool isCudaSymbol(const std::string &symbol);
/// By the name in debug information, mangled or with template arguments: of C++ alone.
bool isCudaWrapper(const std::string &name);

} // namespace gpuinstr::attach

#endif
