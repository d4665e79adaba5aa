// The runtime that attached programs report to.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_RUNTIME_H
#define GPUINSTR_ATTACH_RUNTIME_H

#include "gpuinstr/abi.h"
#include <string>

namespace gpuinstr::attach {

/// Loads it at the first call, which may come from CUDA's driver or from NVTX. nullptr: `why` not.
const gpuinstr_table *connectRuntime(std::string &why);

} // namespace gpuinstr::attach

#endif
