// Building a launch from the runtime API's arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

/// A launch of the kernel behind \p symbol; its function is null when there is none.
KernelOp kernelOp(const void *symbol, dim3 grid, dim3 block, void **args, size_t shared);

} // namespace gpuinstr::sim
