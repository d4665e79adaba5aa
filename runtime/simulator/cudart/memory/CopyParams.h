// Helpers of the copying entry points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"
#include "device/memory/Copy.h"

namespace gpuinstr::sim {

/// What a copy kind claims of its two sides; false for a number that is no kind.
bool memoryTypes(cudaMemcpyKind kind, CUmemorytype &dst, CUmemorytype &src);

cudaError_t copyLinear(CUcontext c, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream, bool wait);

/// Between the two APIs' descriptions of a 3D copy. Copy3D.cpp.
cudaError_t toDriverCopy(const cudaMemcpy3DParms &from, CUDA_MEMCPY3D &to);
cudaMemcpy3DParms toRuntimeCopy(const CUDA_MEMCPY3D &from);

/// A memset of \p bytes bytes each row. Set.cpp.
SetOp byteSet(void *dst, int value, size_t width, size_t height, size_t pitch);

} // namespace gpuinstr::sim
