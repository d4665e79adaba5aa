// Names of C++ functions as a report shows them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_FUNCTIONNAME_H
#define GPUINSTR_ATTACH_NATIVE_FUNCTIONNAME_H

#include <string>

namespace gpuinstr::attach {

/// `ns::Buffer<int>::resize`, without arguments and what it returns. What is not mangled stays.
std::string functionName(const std::string &mangled);

} // namespace gpuinstr::attach

#endif
