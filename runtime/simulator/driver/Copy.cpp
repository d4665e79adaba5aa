// Copies.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Copy.h"

#include "api/Call.h"

using namespace gpuinstr::sim;

namespace {

constexpr CUmemorytype Host = CU_MEMORYTYPE_HOST, Dev = CU_MEMORYTYPE_DEVICE,
                       Any = CU_MEMORYTYPE_UNIFIED;

const void *at(CUdeviceptr Address) { return reinterpret_cast<const void *>(Address); }

CUresult linear(const char *Name, CUmemorytype DstType, const void *Dst, CUmemorytype SrcType,
                const void *Src, size_t Bytes, CUstream Stream, bool Wait) {
  return contextCall(Name, [&](CUcontext C) {
    return copy(C, linearCopy(DstType, Dst, SrcType, Src, Bytes), Stream, Wait);
  });
}

/// One-dimensional copies with an array on a side; \p Dst and \p Src null where linear.
CUresult withArray(const char *Name, CUDA_MEMCPY3D P, CUarray Dst, size_t DstOffset, CUarray Src,
                   size_t SrcOffset, CUstream Stream, bool Wait) {
  return contextCall(Name, [&](CUcontext C) {
    if (Dst) {
      P.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      P.dstArray = Dst;
      P.dstXInBytes = DstOffset;
    }
    if (Src) {
      P.srcMemoryType = CU_MEMORYTYPE_ARRAY;
      P.srcArray = Src;
      P.srcXInBytes = SrcOffset;
    }
    return copy(C, P, Stream, Wait);
  });
}

CUDA_MEMCPY3D from2D(const CUDA_MEMCPY2D &P) {
  CUDA_MEMCPY3D Out = {};
  Out.srcXInBytes = P.srcXInBytes;
  Out.srcY = P.srcY;
  Out.srcMemoryType = P.srcMemoryType;
  Out.srcHost = P.srcHost;
  Out.srcDevice = P.srcDevice;
  Out.srcArray = P.srcArray;
  Out.srcPitch = P.srcPitch ? P.srcPitch : P.WidthInBytes;
  Out.dstXInBytes = P.dstXInBytes;
  Out.dstY = P.dstY;
  Out.dstMemoryType = P.dstMemoryType;
  Out.dstHost = P.dstHost;
  Out.dstDevice = P.dstDevice;
  Out.dstArray = P.dstArray;
  Out.dstPitch = P.dstPitch ? P.dstPitch : P.WidthInBytes;
  Out.WidthInBytes = P.WidthInBytes;
  Out.Height = P.Height;
  Out.Depth = 1;
  return Out;
}

CUresult copy2D(const char *Name, const CUDA_MEMCPY2D *P, CUstream Stream, bool Wait) {
  return contextCall(Name, [&](CUcontext C) {
    return P ? copy(C, from2D(*P), Stream, Wait) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult copy3D(const char *Name, const CUDA_MEMCPY3D *P, CUstream Stream, bool Wait) {
  return contextCall(
      Name, [&](CUcontext C) { return P ? copy(C, *P, Stream, Wait) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult copyPeer3D(const char *Name, const CUDA_MEMCPY3D_PEER *P, CUstream Stream, bool Wait) {
  return contextCall(Name, [&](CUcontext C) {
    if (!P)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D Plain = {};
    Plain.srcXInBytes = P->srcXInBytes;
    Plain.srcY = P->srcY;
    Plain.srcZ = P->srcZ;
    Plain.srcMemoryType = P->srcMemoryType;
    Plain.srcHost = P->srcHost;
    Plain.srcDevice = P->srcDevice;
    Plain.srcArray = P->srcArray;
    Plain.srcPitch = P->srcPitch;
    Plain.srcHeight = P->srcHeight;
    Plain.dstXInBytes = P->dstXInBytes;
    Plain.dstY = P->dstY;
    Plain.dstZ = P->dstZ;
    Plain.dstMemoryType = P->dstMemoryType;
    Plain.dstHost = P->dstHost;
    Plain.dstDevice = P->dstDevice;
    Plain.dstArray = P->dstArray;
    Plain.dstPitch = P->dstPitch;
    Plain.dstHeight = P->dstHeight;
    Plain.WidthInBytes = P->WidthInBytes;
    Plain.Height = P->Height;
    Plain.Depth = P->Depth;
    return copy(C, Plain, Stream, Wait);
  });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuMemcpy(CUdeviceptr Dst, CUdeviceptr Src, size_t Bytes) {
  return linear(__func__, Any, at(Dst), Any, at(Src), Bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr Dst, CUdeviceptr Src, size_t Bytes, CUstream Stream) {
  return linear(__func__, Any, at(Dst), Any, at(Src), Bytes, Stream, false);
}
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr Dst, CUcontext, CUdeviceptr Src, CUcontext,
                              size_t Bytes) {
  return linear(__func__, Dev, at(Dst), Dev, at(Src), Bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr Dst, CUcontext, CUdeviceptr Src, CUcontext,
                                   size_t Bytes, CUstream Stream) {
  return linear(__func__, Dev, at(Dst), Dev, at(Src), Bytes, Stream, false);
}
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr Dst, const void *Src, size_t Bytes) {
  return linear(__func__, Dev, at(Dst), Host, Src, Bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr Dst, const void *Src, size_t Bytes,
                                   CUstream Stream) {
  return linear(__func__, Dev, at(Dst), Host, Src, Bytes, Stream, false);
}
CUresult CUDAAPI cuMemcpyDtoH(void *Dst, CUdeviceptr Src, size_t Bytes) {
  return linear(__func__, Host, Dst, Dev, at(Src), Bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *Dst, CUdeviceptr Src, size_t Bytes, CUstream Stream) {
  return linear(__func__, Host, Dst, Dev, at(Src), Bytes, Stream, false);
}
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr Dst, CUdeviceptr Src, size_t Bytes) {
  return linear(__func__, Dev, at(Dst), Dev, at(Src), Bytes, nullptr, true);
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr Dst, CUdeviceptr Src, size_t Bytes,
                                   CUstream Stream) {
  return linear(__func__, Dev, at(Dst), Dev, at(Src), Bytes, Stream, false);
}

CUresult CUDAAPI cuMemcpyDtoA(CUarray Dst, size_t Offset, CUdeviceptr Src, size_t Bytes) {
  return withArray(__func__, linearCopy(Dev, nullptr, Dev, at(Src), Bytes), Dst, Offset, nullptr, 0,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyAtoD(CUdeviceptr Dst, CUarray Src, size_t Offset, size_t Bytes) {
  return withArray(__func__, linearCopy(Dev, at(Dst), Dev, nullptr, Bytes), nullptr, 0, Src, Offset,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyHtoA(CUarray Dst, size_t Offset, const void *Src, size_t Bytes) {
  return withArray(__func__, linearCopy(Dev, nullptr, Host, Src, Bytes), Dst, Offset, nullptr, 0,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyHtoAAsync(CUarray Dst, size_t Offset, const void *Src, size_t Bytes,
                                   CUstream Stream) {
  return withArray(__func__, linearCopy(Dev, nullptr, Host, Src, Bytes), Dst, Offset, nullptr, 0,
                   Stream, false);
}
CUresult CUDAAPI cuMemcpyAtoH(void *Dst, CUarray Src, size_t Offset, size_t Bytes) {
  return withArray(__func__, linearCopy(Host, Dst, Dev, nullptr, Bytes), nullptr, 0, Src, Offset,
                   nullptr, true);
}
CUresult CUDAAPI cuMemcpyAtoHAsync(void *Dst, CUarray Src, size_t Offset, size_t Bytes,
                                   CUstream Stream) {
  return withArray(__func__, linearCopy(Host, Dst, Dev, nullptr, Bytes), nullptr, 0, Src, Offset,
                   Stream, false);
}
CUresult CUDAAPI cuMemcpyAtoA(CUarray Dst, size_t DstOffset, CUarray Src, size_t SrcOffset,
                              size_t Bytes) {
  return withArray(__func__, linearCopy(Dev, nullptr, Dev, nullptr, Bytes), Dst, DstOffset, Src,
                   SrcOffset, nullptr, true);
}

CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *P) { return copy2D(__func__, P, nullptr, true); }
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *P) {
  return copy2D(__func__, P, nullptr, true);
}
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *P, CUstream Stream) {
  return copy2D(__func__, P, Stream, false);
}
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D *P) { return copy3D(__func__, P, nullptr, true); }
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *P, CUstream Stream) {
  return copy3D(__func__, P, Stream, false);
}
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *P) {
  return copyPeer3D(__func__, P, nullptr, true);
}
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *P, CUstream Stream) {
  return copyPeer3D(__func__, P, Stream, false);
}

CUresult CUDAAPI cuMemcpyBatchAsync(CUdeviceptr *Dsts, CUdeviceptr *Srcs, size_t *Sizes,
                                    size_t Count, CUmemcpyAttributes *Attrs, size_t *AttrIndices,
                                    size_t AttrCount, CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) {
    if (!Dsts || !Srcs || !Sizes || !Count || !Attrs || !AttrIndices || !AttrCount || !Stream)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t I = 0; I < Count; ++I)
      if (CUresult R =
              copy(C, linearCopy(Any, at(Dsts[I]), Any, at(Srcs[I]), Sizes[I]), Stream, false))
        return R;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
