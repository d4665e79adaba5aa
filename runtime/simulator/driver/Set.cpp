// Memory sets.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "device/memory/Copy.h"

using namespace gpuinstr::sim;

namespace {
CUresult fill(const char *Name, CUdeviceptr Dst, unsigned Value, unsigned ElementBytes,
              size_t Width, size_t Height, size_t Pitch, CUstream Stream) {
  return contextCall(Name, [&](CUcontext C) {
    SetOp Set;
    Set.Params = {Dst, Pitch, Value, ElementBytes, Width, Height};
    return set(C, Set, Stream, /*Wait=*/false);
  });
}
} // namespace

extern "C" {

CUresult CUDAAPI cuMemsetD8(CUdeviceptr Dst, unsigned char Value, size_t N) {
  return fill(__func__, Dst, Value, 1, N, 1, 0, nullptr);
}
CUresult CUDAAPI cuMemsetD16(CUdeviceptr Dst, unsigned short Value, size_t N) {
  return fill(__func__, Dst, Value, 2, N, 1, 0, nullptr);
}
CUresult CUDAAPI cuMemsetD32(CUdeviceptr Dst, unsigned Value, size_t N) {
  return fill(__func__, Dst, Value, 4, N, 1, 0, nullptr);
}
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr Dst, size_t Pitch, unsigned char Value, size_t Width,
                              size_t Height) {
  return fill(__func__, Dst, Value, 1, Width, Height, Pitch, nullptr);
}
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr Dst, size_t Pitch, unsigned short Value, size_t Width,
                               size_t Height) {
  return fill(__func__, Dst, Value, 2, Width, Height, Pitch, nullptr);
}
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr Dst, size_t Pitch, unsigned Value, size_t Width,
                               size_t Height) {
  return fill(__func__, Dst, Value, 4, Width, Height, Pitch, nullptr);
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr Dst, unsigned char Value, size_t N, CUstream Stream) {
  return fill(__func__, Dst, Value, 1, N, 1, 0, Stream);
}
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr Dst, unsigned short Value, size_t N,
                                  CUstream Stream) {
  return fill(__func__, Dst, Value, 2, N, 1, 0, Stream);
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr Dst, unsigned Value, size_t N, CUstream Stream) {
  return fill(__func__, Dst, Value, 4, N, 1, 0, Stream);
}
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr Dst, size_t Pitch, unsigned char Value, size_t Width,
                                   size_t Height, CUstream Stream) {
  return fill(__func__, Dst, Value, 1, Width, Height, Pitch, Stream);
}
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr Dst, size_t Pitch, unsigned short Value,
                                    size_t Width, size_t Height, CUstream Stream) {
  return fill(__func__, Dst, Value, 2, Width, Height, Pitch, Stream);
}
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr Dst, size_t Pitch, unsigned Value, size_t Width,
                                    size_t Height, CUstream Stream) {
  return fill(__func__, Dst, Value, 4, Width, Height, Pitch, Stream);
}

} // extern "C"
