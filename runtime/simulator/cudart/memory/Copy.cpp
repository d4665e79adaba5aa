// One- and two-dimensional copies of linear memory, and copies to and from symbols.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"

#include "cudart/kernel/Registry.h"

using namespace gpuinstr::sim;

bool gpuinstr::sim::memoryTypes(cudaMemcpyKind kind, CUmemorytype &dst, CUmemorytype &src) {
  constexpr CUmemorytype Host = CU_MEMORYTYPE_HOST, Device = CU_MEMORYTYPE_DEVICE;
  switch (kind) {
  case cudaMemcpyHostToHost:
    dst = src = Host;
    return true;
  case cudaMemcpyHostToDevice:
    dst = Device;
    src = Host;
    return true;
  case cudaMemcpyDeviceToHost:
    dst = Host;
    src = Device;
    return true;
  case cudaMemcpyDeviceToDevice:
    dst = src = Device;
    return true;
  case cudaMemcpyDefault:
    dst = src = CU_MEMORYTYPE_UNIFIED;
    return true;
  }
  return false;
}

cudaError_t gpuinstr::sim::copyLinear(CUcontext c, void *dst, const void *src, size_t bytes,
                                      cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  CUmemorytype to, from;
  if (!memoryTypes(kind, to, from))
    return cudaErrorInvalidMemcpyDirection;
  return toError(copy(c, linearCopy(to, dst, from, src, bytes), stream, wait));
}

namespace {

cudaError_t copy2D(CUcontext c, void *dst, size_t dstPitch, const void *src, size_t srcPitch,
                   size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                   bool wait) {
  CUmemorytype to, from;
  if (!memoryTypes(kind, to, from))
    return cudaErrorInvalidMemcpyDirection;
  if (dstPitch < width || srcPitch < width)
    return cudaErrorInvalidPitchValue;
  CUDA_MEMCPY3D p = linearCopy(to, dst, from, src, width);
  p.dstPitch = dstPitch;
  p.srcPitch = srcPitch;
  p.Height = p.srcHeight = p.dstHeight = height;
  return toError(copy(c, p, stream, wait));
}

/// The symbol's address when [Offset, Offset + Bytes) lies inside it.
cudaError_t symbolRange(CUcontext c, const void *symbol, size_t offset, size_t bytes, char *&out) {
  void *address = nullptr;
  size_t size = 0;
  if (cudaError_t e = symbolMemory(c, symbol, &address, &size))
    return e;
  if (offset > size || bytes > size - offset)
    return cudaErrorInvalidValue;
  out = static_cast<char *>(address) + offset;
  return cudaSuccess;
}

cudaError_t toSymbol(CUcontext c, const void *symbol, const void *src, size_t bytes, size_t offset,
                     cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  char *dst = nullptr;
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (cudaError_t e = symbolRange(c, symbol, offset, bytes, dst))
    return e;
  return copyLinear(c, dst, src, bytes, kind, stream, wait);
}

cudaError_t fromSymbol(CUcontext c, void *dst, const void *symbol, size_t bytes, size_t offset,
                       cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  char *src = nullptr;
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (cudaError_t e = symbolRange(c, symbol, offset, bytes, src))
    return e;
  return copyLinear(c, dst, src, bytes, kind, stream, wait);
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind) {
  return deviceCall(
      __func__, [&](CUcontext c) { return copyLinear(c, dst, src, bytes, kind, nullptr, true); });
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return deviceCall(
      __func__, [&](CUcontext c) { return copyLinear(c, dst, src, bytes, kind, stream, false); });
}

cudaError_t CUDARTAPI cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                                     size_t bytes) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!isDevice(state(), dstDevice) || !isDevice(state(), srcDevice))
      return cudaErrorInvalidDevice;
    return copyLinear(c, dst, src, bytes, cudaMemcpyDeviceToDevice, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                          size_t bytes, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!isDevice(state(), dstDevice) || !isDevice(state(), srcDevice))
      return cudaErrorInvalidDevice;
    return copyLinear(c, dst, src, bytes, cudaMemcpyDeviceToDevice, stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch,
                                   size_t width, size_t height, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return copy2D(c, dst, dstPitch, src, srcPitch, width, height, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *dst, size_t dstPitch, const void *src,
                                        size_t srcPitch, size_t width, size_t height,
                                        cudaMemcpyKind kind, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return copy2D(c, dst, dstPitch, src, srcPitch, width, height, kind, stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes,
                                         size_t offset, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return toSymbol(c, symbol, src, bytes, offset, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
                                              size_t offset, cudaMemcpyKind kind,
                                              cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return toSymbol(c, symbol, src, bytes, offset, kind, stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return fromSymbol(c, dst, symbol, bytes, offset, kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes,
                                                size_t offset, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return fromSymbol(c, dst, symbol, bytes, offset, kind, stream, false);
  });
}

cudaError_t CUDARTAPI cudaGetSymbolAddress(void **out, const void *symbol) {
  return deviceCall(__func__, [&](CUcontext c) {
    return out ? symbolMemory(c, symbol, out, nullptr) : cudaErrorInvalidValue;
  });
}

cudaError_t CUDARTAPI cudaGetSymbolSize(size_t *out, const void *symbol) {
  return deviceCall(__func__, [&](CUcontext c) {
    return out ? symbolMemory(c, symbol, nullptr, out) : cudaErrorInvalidValue;
  });
}

} // extern "C"
