// A kernel's parameters as the plugin described them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_KERNELPARAMETERS_H
#define GPUINSTR_CALLS_SITES_KERNELPARAMETERS_H

#include "gpuinstr/abi.h"
#include <cstdint>
#include <vector>

namespace gpuinstr {

struct KernelParameter {
  struct Member {
    uint32_t offset;
    uint8_t access;
  };
  uint32_t bytes = 0;              ///< 0 unknown
  uint8_t pointer = 0, access = 0; ///< see gpuinstr_param
  std::vector<Member> members;     ///< see gpuinstr_member
};
using KernelParameters = std::vector<KernelParameter>;

KernelParameters describedParameters(const gpuinstr_kernel &kernel);
/// Two objects describe one kernel, and which of them runs is not known: it may do what either
/// says.
void addParameters(KernelParameters &parameters, const KernelParameters &others);

} // namespace gpuinstr

#endif
