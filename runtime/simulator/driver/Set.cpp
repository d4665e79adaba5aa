// Memory sets.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "device/memory/Copy.h"

using namespace gpuinstr::sim;

namespace {
CUresult fill(const char *name, CUdeviceptr dst, unsigned value, unsigned elementBytes,
              size_t width, size_t height, size_t pitch, CUstream stream) {
  return contextCall(name, [&](CUcontext c) {
    SetOp op;
    op.params = {dst, pitch, value, elementBytes, width, height};
    return set(c, op, stream, /*Wait=*/false);
  });
}
} // namespace

extern "C" {

CUresult CUDAAPI cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t n) {
  return fill(__func__, dst, value, 1, n, 1, 0, nullptr);
}
CUresult CUDAAPI cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t n) {
  return fill(__func__, dst, value, 2, n, 1, 0, nullptr);
}
CUresult CUDAAPI cuMemsetD32(CUdeviceptr dst, unsigned value, size_t n) {
  return fill(__func__, dst, value, 4, n, 1, 0, nullptr);
}
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                              size_t height) {
  return fill(__func__, dst, value, 1, width, height, pitch, nullptr);
}
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                               size_t height) {
  return fill(__func__, dst, value, 2, width, height, pitch, nullptr);
}
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                               size_t height) {
  return fill(__func__, dst, value, 4, width, height, pitch, nullptr);
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n, CUstream stream) {
  return fill(__func__, dst, value, 1, n, 1, 0, stream);
}
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t n,
                                  CUstream stream) {
  return fill(__func__, dst, value, 2, n, 1, 0, stream);
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t n, CUstream stream) {
  return fill(__func__, dst, value, 4, n, 1, 0, stream);
}
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                                   size_t height, CUstream stream) {
  return fill(__func__, dst, value, 1, width, height, pitch, stream);
}
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value,
                                    size_t width, size_t height, CUstream stream) {
  return fill(__func__, dst, value, 2, width, height, pitch, stream);
}
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                                    size_t height, CUstream stream) {
  return fill(__func__, dst, value, 4, width, height, pitch, stream);
}

} // extern "C"
