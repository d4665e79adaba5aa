// Building a launch from the runtime API's arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

/// A launch of the kernel behind \p Symbol; its function is null when there is none.
KernelOp kernelOp(const void *Symbol, dim3 Grid, dim3 Block, void **Args, size_t Shared);

} // namespace gpuinstr::sim
