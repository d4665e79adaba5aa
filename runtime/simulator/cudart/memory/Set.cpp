// cudaMemset in one to three dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"

using namespace gpuinstr::sim;

SetOp gpuinstr::sim::byteSet(void *Dst, int Value, size_t Width, size_t Height, size_t Pitch) {
  SetOp Set;
  Set.Params.dst = toAddress(Dst);
  Set.Params.value = static_cast<unsigned char>(Value);
  Set.Params.elementSize = 1;
  Set.Params.width = Width;
  Set.Params.height = Height;
  Set.Params.pitch = Pitch;
  return Set;
}

namespace {

cudaError_t set3D(CUcontext C, cudaPitchedPtr Dst, int Value, cudaExtent Extent,
                  cudaStream_t Stream, bool Wait) {
  SetOp Set = byteSet(Dst.ptr, Value, Extent.width, Extent.height, Dst.pitch);
  Set.Depth = Extent.depth;
  // Without a height in the pointer the slices follow each other directly.
  size_t Rows = Dst.ysize ? Dst.ysize : Extent.height;
  if (__builtin_mul_overflow(Rows, Dst.pitch, &Set.SlicePitch))
    return cudaErrorInvalidValue;
  return toError(set(C, Set, Stream, Wait));
}

} // namespace

extern "C" {

// A memset is asynchronous to the host even in its plain form, except that this device is done
// when the call returns unless work is pending before it.

cudaError_t CUDARTAPI cudaMemset(void *Dst, int Value, size_t Bytes) {
  return deviceCall(__func__, [&](CUcontext C) {
    return set(C, byteSet(Dst, Value, Bytes, 1, Bytes), nullptr, false);
  });
}

cudaError_t CUDARTAPI cudaMemsetAsync(void *Dst, int Value, size_t Bytes, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return set(C, byteSet(Dst, Value, Bytes, 1, Bytes), Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemset2D(void *Dst, size_t Pitch, int Value, size_t Width,
                                   size_t Height) {
  return deviceCall(__func__, [&](CUcontext C) {
    return set(C, byteSet(Dst, Value, Width, Height, Pitch), nullptr, false);
  });
}

cudaError_t CUDARTAPI cudaMemset2DAsync(void *Dst, size_t Pitch, int Value, size_t Width,
                                        size_t Height, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return set(C, byteSet(Dst, Value, Width, Height, Pitch), Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemset3D(cudaPitchedPtr Dst, int Value, cudaExtent Extent) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return set3D(C, Dst, Value, Extent, nullptr, false); });
}

cudaError_t CUDARTAPI cudaMemset3DAsync(cudaPitchedPtr Dst, int Value, cudaExtent Extent,
                                        cudaStream_t Stream) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return set3D(C, Dst, Value, Extent, Stream, false); });
}

} // extern "C"
