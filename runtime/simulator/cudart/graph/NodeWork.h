// Between the runtime API's node parameters and the operations of the simulated device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"
#include "device/work/GraphExec.h"

namespace gpuinstr::sim {

NodeWork kernelWork(const cudaKernelNodeParams *p);
NodeWork copyWork(const cudaMemcpy3DParms *p);
NodeWork copyWork1D(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind);
NodeWork setWork(const cudaMemsetParams *p);
NodeWork hostWork(const cudaHostNodeParams *p);
/// Fills in the address of the memory.
NodeWork allocWork(cudaMemAllocNodeParams *p);
NodeWork freeWork(void *address);
/// A copy to (\p to) or from a device variable; \p other is the far side.
NodeWork symbolWork(CUcontext c, bool to, const void *symbol, const void *other, size_t bytes,
                    size_t offset, cudaMemcpyKind kind);
/// Any node of the generic form. Writes back what the call hands out (addresses).
NodeWork genericWork(cudaGraphNodeParams *p);

} // namespace gpuinstr::sim
