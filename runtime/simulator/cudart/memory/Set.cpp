// cudaMemset in one to three dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"

using namespace gpuinstr::sim;

SetOp gpuinstr::sim::byteSet(void *dst, int value, size_t width, size_t height, size_t pitch) {
  SetOp op;
  op.params.dst = toAddress(dst);
  op.params.value = static_cast<unsigned char>(value);
  op.params.elementSize = 1;
  op.params.width = width;
  op.params.height = height;
  op.params.pitch = pitch;
  return op;
}

namespace {

cudaError_t set3D(CUcontext c, cudaPitchedPtr dst, int value, cudaExtent extent,
                  cudaStream_t stream, bool wait) {
  SetOp op = byteSet(dst.ptr, value, extent.width, extent.height, dst.pitch);
  op.depth = extent.depth;
  // Without a height in the pointer the slices follow each other directly.
  size_t rows = dst.ysize ? dst.ysize : extent.height;
  if (__builtin_mul_overflow(rows, dst.pitch, &op.slicePitch))
    return cudaErrorInvalidValue;
  return toError(set(c, op, stream, wait));
}

} // namespace

extern "C" {

// A memset is asynchronous to the host even in its plain form, except that this device is done
// when the call returns unless work is pending before it.

cudaError_t CUDARTAPI cudaMemset(void *dst, int value, size_t bytes) {
  return deviceCall(__func__, [&](CUcontext c) {
    return set(c, byteSet(dst, value, bytes, 1, bytes), nullptr, false);
  });
}

cudaError_t CUDARTAPI cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return set(c, byteSet(dst, value, bytes, 1, bytes), stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemset2D(void *dst, size_t pitch, int value, size_t width,
                                   size_t height) {
  return deviceCall(__func__, [&](CUcontext c) {
    return set(c, byteSet(dst, value, width, height, pitch), nullptr, false);
  });
}

cudaError_t CUDARTAPI cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width,
                                        size_t height, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return set(c, byteSet(dst, value, width, height, pitch), stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemset3D(cudaPitchedPtr dst, int value, cudaExtent extent) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return set3D(c, dst, value, extent, nullptr, false); });
}

cudaError_t CUDARTAPI cudaMemset3DAsync(cudaPitchedPtr dst, int value, cudaExtent extent,
                                        cudaStream_t stream) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return set3D(c, dst, value, extent, stream, false); });
}

} // extern "C"
