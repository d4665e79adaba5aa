// Names of kernels as people write them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_KERNELNAME_H
#define GPUINSTR_BASE_TEXT_KERNELNAME_H

#include <string>

namespace gpuinstr {

/// "void ns::k<int>(int*)", mangled -> "ns::k<int>"; other names as they are, null: "".
std::string shortKernelName(const char *mangled);

} // namespace gpuinstr

#endif
