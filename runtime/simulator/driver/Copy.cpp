// Copies.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Copy.h"

#include "api/Call.h"

using namespace gpuinstr::sim;

namespace {

constexpr CUmemorytype Host = CU_MEMORYTYPE_HOST, Dev = CU_MEMORYTYPE_DEVICE,
                       Any = CU_MEMORYTYPE_UNIFIED;

const void *at(CUdeviceptr address) { return reinterpret_cast<const void *>(address); }

CUresult linear(const char *name, CUmemorytype dstType, const void *dst, CUmemorytype srcType,
                const void *src, size_t bytes, CUstream stream, bool wait) {
  return contextCall(name, [&](CUcontext c) {
    return copy(c, linearCopy(dstType, dst, srcType, src, bytes), stream, wait);
  });
}

/// One-dimensional copies with an array on a side; \p dst and \p src null where linear.
CUresult withArray(const char *name, CUDA_MEMCPY3D p, CUarray dst, size_t dstOffset, CUarray src,
                   size_t srcOffset, CUstream stream, bool wait) {
  return contextCall(name, [&](CUcontext c) {
    if (dst) {
      p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      p.dstArray = dst;
      p.dstXInBytes = dstOffset;
    }
    if (src) {
      p.srcMemoryType = CU_MEMORYTYPE_ARRAY;
      p.srcArray = src;
      p.srcXInBytes = srcOffset;
    }
    return copy(c, p, stream, wait);
  });
}

CUDA_MEMCPY3D from2D(const CUDA_MEMCPY2D &p) {
  CUDA_MEMCPY3D out = {};
  out.srcXInBytes = p.srcXInBytes;
  out.srcY = p.srcY;
  out.srcMemoryType = p.srcMemoryType;
  out.srcHost = p.srcHost;
  out.srcDevice = p.srcDevice;
  out.srcArray = p.srcArray;
  out.srcPitch = p.srcPitch ? p.srcPitch : p.WidthInBytes;
  out.dstXInBytes = p.dstXInBytes;
  out.dstY = p.dstY;
  out.dstMemoryType = p.dstMemoryType;
  out.dstHost = p.dstHost;
  out.dstDevice = p.dstDevice;
  out.dstArray = p.dstArray;
  out.dstPitch = p.dstPitch ? p.dstPitch : p.WidthInBytes;
  out.WidthInBytes = p.WidthInBytes;
  out.Height = p.Height;
  out.Depth = 1;
  return out;
}

CUresult copy2D(const char *name, const CUDA_MEMCPY2D *p, CUstream stream, bool wait) {
  return contextCall(name, [&](CUcontext c) {
    return p ? copy(c, from2D(*p), stream, wait) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult copy3D(const char *name, const CUDA_MEMCPY3D *p, CUstream stream, bool wait) {
  return contextCall(
      name, [&](CUcontext c) { return p ? copy(c, *p, stream, wait) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult copyPeer3D(const char *name, const CUDA_MEMCPY3D_PEER *p, CUstream stream, bool wait) {
  return contextCall(name, [&](CUcontext c) {
    if (!p)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D plain = {};
    plain.srcXInBytes = p->srcXInBytes;
    plain.srcY = p->srcY;
    plain.srcZ = p->srcZ;
    plain.srcMemoryType = p->srcMemoryType;
    plain.srcHost = p->srcHost;
    plain.srcDevice = p->srcDevice;
    plain.srcArray = p->srcArray;
    plain.srcPitch = p->srcPitch;
    plain.srcHeight = p->srcHeight;
    plain.dstXInBytes = p->dstXInBytes;
    plain.dstY = p->dstY;
    plain.dstZ = p->dstZ;
    plain.dstMemoryType = p->dstMemoryType;
    plain.dstHost = p->dstHost;
    plain.dstDevice = p->dstDevice;
    plain.dstArray = p->dstArray;
    plain.dstPitch = p->dstPitch;
    plain.dstHeight = p->dstHeight;
    plain.WidthInBytes = p->WidthInBytes;
    plain.Height = p->Height;
    plain.Depth = p->Depth;
    return copy(c, plain, stream, wait);
  });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return linear(__func__, Any, at(dst), Any, at(src), bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return linear(__func__, Any, at(dst), Any, at(src), bytes, stream, false);
}
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr dst, CUcontext, CUdeviceptr src, CUcontext,
                              size_t bytes) {
  return linear(__func__, Dev, at(dst), Dev, at(src), bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext, CUdeviceptr src, CUcontext,
                                   size_t bytes, CUstream stream) {
  return linear(__func__, Dev, at(dst), Dev, at(src), bytes, stream, false);
}
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes) {
  return linear(__func__, Dev, at(dst), Host, src, bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes,
                                   CUstream stream) {
  return linear(__func__, Dev, at(dst), Host, src, bytes, stream, false);
}
CUresult CUDAAPI cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes) {
  return linear(__func__, Host, dst, Dev, at(src), bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return linear(__func__, Host, dst, Dev, at(src), bytes, stream, false);
}
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return linear(__func__, Dev, at(dst), Dev, at(src), bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                                   CUstream stream) {
  return linear(__func__, Dev, at(dst), Dev, at(src), bytes, stream, false);
}

CUresult CUDAAPI cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes) {
  return withArray(__func__, linearCopy(Dev, nullptr, Dev, at(src), bytes), dst, offset, nullptr, 0,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes) {
  return withArray(__func__, linearCopy(Dev, at(dst), Dev, nullptr, bytes), nullptr, 0, src, offset,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t bytes) {
  return withArray(__func__, linearCopy(Dev, nullptr, Host, src, bytes), dst, offset, nullptr, 0,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes,
                                   CUstream stream) {
  return withArray(__func__, linearCopy(Dev, nullptr, Host, src, bytes), dst, offset, nullptr, 0,
                   stream, false);
}
CUresult CUDAAPI cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t bytes) {
  return withArray(__func__, linearCopy(Host, dst, Dev, nullptr, bytes), nullptr, 0, src, offset,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes,
                                   CUstream stream) {
  return withArray(__func__, linearCopy(Host, dst, Dev, nullptr, bytes), nullptr, 0, src, offset,
                   stream, false);
}
CUresult CUDAAPI cuMemcpyAtoA(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset,
                              size_t bytes) {
  return withArray(__func__, linearCopy(Dev, nullptr, Dev, nullptr, bytes), dst, dstOffset, src,
                   srcOffset, nullptr, true);
}

CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *p) { return copy2D(__func__, p, nullptr, true); }
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *p) {
  return copy2D(__func__, p, nullptr, true);
}
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream) {
  return copy2D(__func__, p, stream, false);
}
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D *p) { return copy3D(__func__, p, nullptr, true); }
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *p, CUstream stream) {
  return copy3D(__func__, p, stream, false);
}
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *p) {
  return copyPeer3D(__func__, p, nullptr, true);
}
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *p, CUstream stream) {
  return copyPeer3D(__func__, p, stream, false);
}

CUresult CUDAAPI cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                    size_t count, CUmemcpyAttributes *attrs, size_t *attrIndices,
                                    size_t attrCount, CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) {
    if (!dsts || !srcs || !sizes || !count || !attrs || !attrIndices || !attrCount || !stream)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
      if (CUresult r =
              copy(c, linearCopy(Any, at(dsts[i]), Any, at(srcs[i]), sizes[i]), stream, false))
        return r;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
