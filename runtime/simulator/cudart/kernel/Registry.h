// What compiled host code registers before main: fat binaries, kernels, device variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

/// The function behind the address a program launches by: a registered host stub, a cudaKernel_t
/// or a cudaFunction_t. Null when it is none of them.
CUfunction findFunction(const void *symbol);

/// Address and size of a device variable in \p c; its memory is made at first use.
/// cudaErrorInvalidSymbol when nothing was registered by that name. Outputs may be null.
cudaError_t symbolMemory(CUcontext c, const void *symbol, void **address, size_t *size);

} // namespace gpuinstr::sim
