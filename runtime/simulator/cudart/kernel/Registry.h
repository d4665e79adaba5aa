// What compiled host code registers before main: fat binaries, kernels, device variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

/// The function behind the address a program launches by: a registered host stub, a cudaKernel_t
/// or a cudaFunction_t. Null when it is none of them.
CUfunction findFunction(const void *Symbol);

/// Address and size of a device variable in \p C; its memory is made at first use.
/// cudaErrorInvalidSymbol when nothing was registered by that name. Outputs may be null.
cudaError_t symbolMemory(CUcontext C, const void *Symbol, void **Address, size_t *Size);

} // namespace gpuinstr::sim
