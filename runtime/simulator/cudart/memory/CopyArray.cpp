// Copies between linear memory and arrays.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"
#include "device/memory/Array.h"

using namespace gpuinstr::sim;

namespace {

/// A copy of \p width bytes by \p height rows; offsets into arrays are in bytes and rows.
struct Planar {
  cudaArray_const_t srcArray = nullptr;
  size_t srcX = 0, srcY = 0;
  const void *src = nullptr;
  size_t srcPitch = 0;
  cudaArray_t dstArray = nullptr;
  size_t dstX = 0, dstY = 0;
  void *dst = nullptr;
  size_t dstPitch = 0;
  size_t width = 0, height = 0;
};

cudaError_t copyPlanar(CUcontext c, const Planar &a, cudaMemcpyKind kind, cudaStream_t stream,
                       bool wait) {
  CUmemorytype dstType, srcType;
  if (!memoryTypes(kind, dstType, srcType))
    return cudaErrorInvalidMemcpyDirection;
  if ((!a.srcArray && a.srcPitch < a.width) || (!a.dstArray && a.dstPitch < a.width))
    return cudaErrorInvalidPitchValue;
  CUDA_MEMCPY3D p = linearCopy(dstType, a.dst, srcType, a.src, a.width);
  p.Height = a.height;
  p.srcPitch = a.srcPitch;
  p.dstPitch = a.dstPitch;
  if (a.srcArray)
    p.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  if (a.dstArray)
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  p.srcArray = toArray(a.srcArray);
  p.dstArray = toArray(a.dstArray);
  p.srcXInBytes = a.srcX;
  p.srcY = a.srcY;
  p.dstXInBytes = a.dstX;
  p.dstY = a.dstY;
  return toError(copy(c, p, stream, wait));
}

cudaError_t toArray2D(CUcontext c, cudaArray_t dst, size_t x, size_t y, const void *src,
                      size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, bool wait) {
  Planar a;
  a.dstArray = dst;
  a.dstX = x;
  a.dstY = y;
  a.src = src;
  a.srcPitch = pitch;
  a.width = width;
  a.height = height;
  return dst ? copyPlanar(c, a, kind, stream, wait) : cudaErrorInvalidResourceHandle;
}

cudaError_t fromArray2D(CUcontext c, void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                        size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                        cudaStream_t stream, bool wait) {
  Planar a;
  a.srcArray = src;
  a.srcX = x;
  a.srcY = y;
  a.dst = dst;
  a.dstPitch = pitch;
  a.width = width;
  a.height = height;
  return src ? copyPlanar(c, a, kind, stream, wait) : cudaErrorInvalidResourceHandle;
}

/// The old one-dimensional forms wrap at row ends: calls \p row(Y, X, Done, Bytes) for each piece.
template <typename F>
cudaError_t forRows(cudaArray_const_t array, size_t x, size_t y, size_t bytes, F &&row) {
  CUDA_ARRAY3D_DESCRIPTOR desc;
  if (CUresult r = describeArray(toArray(array), &desc))
    return toError(r);
  size_t rowBytes = desc.Width * desc.NumChannels * channelBytes(desc.Format);
  size_t rows = desc.Height ? desc.Height : 1;
  // Refused as a whole, before the first row moves.
  if (bytes && (x >= rowBytes || y >= rows || bytes > (rows - y) * rowBytes - x))
    return cudaErrorInvalidValue;
  for (size_t done = 0; done < bytes; x = 0, ++y) {
    size_t piece = std::min(bytes - done, rowBytes - x);
    if (cudaError_t e = row(y, x, done, piece))
      return e;
    done += piece;
  }
  return cudaSuccess;
}

cudaError_t toArray1D(CUcontext c, cudaArray_t dst, size_t x, size_t y, const void *src,
                      size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return forRows(dst, x, y, bytes, [&](size_t rowY, size_t rowX, size_t done, size_t piece) {
    return toArray2D(c, dst, rowX, rowY, static_cast<const char *>(src) + done, piece, piece, 1,
                     kind, stream, wait);
  });
}

cudaError_t fromArray1D(CUcontext c, void *dst, cudaArray_const_t src, size_t x, size_t y,
                        size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return forRows(src, x, y, bytes, [&](size_t rowY, size_t rowX, size_t done, size_t piece) {
    return fromArray2D(c, static_cast<char *>(dst) + done, piece, src, rowX, rowY, piece, 1, kind,
                       stream, wait);
  });
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
                                          size_t pitch, size_t width, size_t height,
                                          cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return toArray2D(c, dst, x, y, src, pitch, width, height, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                               size_t pitch, size_t width, size_t height,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return toArray2D(c, dst, x, y, src, pitch, width, height, kind, stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src,
                                            size_t x, size_t y, size_t width, size_t height,
                                            cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return fromArray2D(c, dst, pitch, src, x, y, width, height, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src,
                                                 size_t x, size_t y, size_t width, size_t height,
                                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return fromArray2D(c, dst, pitch, src, x, y, width, height, kind, stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dstX, size_t dstY,
                                               cudaArray_const_t src, size_t srcX, size_t srcY,
                                               size_t width, size_t height, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    Planar a;
    a.dstArray = dst;
    a.dstX = dstX;
    a.dstY = dstY;
    a.srcArray = src;
    a.srcX = srcX;
    a.srcY = srcY;
    a.width = width;
    a.height = height;
    return dst && src ? copyPlanar(c, a, kind, nullptr, true) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
                                        size_t bytes, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return toArray1D(c, dst, x, y, src, bytes, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                             size_t bytes, cudaMemcpyKind kind,
                                             cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return toArray1D(c, dst, x, y, src, bytes, kind, stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                          size_t bytes, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return fromArray1D(c, dst, src, x, y, bytes, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                               size_t bytes, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return fromArray1D(c, dst, src, x, y, bytes, kind, stream, false);
  });
}

} // extern "C"
