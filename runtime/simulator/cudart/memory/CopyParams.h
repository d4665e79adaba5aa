// Helpers of the copying entry points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"
#include "device/memory/Copy.h"

namespace gpuinstr::sim {

/// What a copy kind claims of its two sides; false for a number that is no kind.
bool memoryTypes(cudaMemcpyKind Kind, CUmemorytype &Dst, CUmemorytype &Src);

cudaError_t copyLinear(CUcontext C, void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind,
                       cudaStream_t Stream, bool Wait);

/// Between the two APIs' descriptions of a 3D copy. Copy3D.cpp.
cudaError_t toDriverCopy(const cudaMemcpy3DParms &From, CUDA_MEMCPY3D &To);
cudaMemcpy3DParms toRuntimeCopy(const CUDA_MEMCPY3D &From);

/// A memset of \p Bytes bytes each row. Set.cpp.
SetOp byteSet(void *Dst, int Value, size_t Width, size_t Height, size_t Pitch);

} // namespace gpuinstr::sim
