// Between the runtime API's node parameters and the operations of the simulated device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"
#include "device/work/GraphExec.h"

namespace gpuinstr::sim {

NodeWork kernelWork(const cudaKernelNodeParams *P);
NodeWork copyWork(const cudaMemcpy3DParms *P);
NodeWork copyWork1D(void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind);
NodeWork setWork(const cudaMemsetParams *P);
NodeWork hostWork(const cudaHostNodeParams *P);
/// Fills in the address of the memory.
NodeWork allocWork(cudaMemAllocNodeParams *P);
NodeWork freeWork(void *Address);
/// A copy to (\p To) or from a device variable; \p Other is the far side.
NodeWork symbolWork(CUcontext C, bool To, const void *Symbol, const void *Other, size_t Bytes,
                    size_t Offset, cudaMemcpyKind Kind);
/// Any node of the generic form. Writes back what the call hands out (addresses).
NodeWork genericWork(cudaGraphNodeParams *P);

} // namespace gpuinstr::sim
