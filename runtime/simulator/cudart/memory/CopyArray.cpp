// Copies between linear memory and arrays.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"
#include "device/memory/Array.h"

using namespace gpuinstr::sim;

namespace {

/// A copy of \p Width bytes by \p Height rows; offsets into arrays are in bytes and rows.
struct Planar {
  cudaArray_const_t SrcArray = nullptr;
  size_t SrcX = 0, SrcY = 0;
  const void *Src = nullptr;
  size_t SrcPitch = 0;
  cudaArray_t DstArray = nullptr;
  size_t DstX = 0, DstY = 0;
  void *Dst = nullptr;
  size_t DstPitch = 0;
  size_t Width = 0, Height = 0;
};

cudaError_t copyPlanar(CUcontext C, const Planar &A, cudaMemcpyKind Kind, cudaStream_t Stream,
                       bool Wait) {
  CUmemorytype DstType, SrcType;
  if (!memoryTypes(Kind, DstType, SrcType))
    return cudaErrorInvalidMemcpyDirection;
  if ((!A.SrcArray && A.SrcPitch < A.Width) || (!A.DstArray && A.DstPitch < A.Width))
    return cudaErrorInvalidPitchValue;
  CUDA_MEMCPY3D P = linearCopy(DstType, A.Dst, SrcType, A.Src, A.Width);
  P.Height = A.Height;
  P.srcPitch = A.SrcPitch;
  P.dstPitch = A.DstPitch;
  if (A.SrcArray)
    P.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  if (A.DstArray)
    P.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  P.srcArray = toArray(A.SrcArray);
  P.dstArray = toArray(A.DstArray);
  P.srcXInBytes = A.SrcX;
  P.srcY = A.SrcY;
  P.dstXInBytes = A.DstX;
  P.dstY = A.DstY;
  return toError(copy(C, P, Stream, Wait));
}

cudaError_t toArray2D(CUcontext C, cudaArray_t Dst, size_t X, size_t Y, const void *Src,
                      size_t Pitch, size_t Width, size_t Height, cudaMemcpyKind Kind,
                      cudaStream_t Stream, bool Wait) {
  Planar A;
  A.DstArray = Dst;
  A.DstX = X;
  A.DstY = Y;
  A.Src = Src;
  A.SrcPitch = Pitch;
  A.Width = Width;
  A.Height = Height;
  return Dst ? copyPlanar(C, A, Kind, Stream, Wait) : cudaErrorInvalidResourceHandle;
}

cudaError_t fromArray2D(CUcontext C, void *Dst, size_t Pitch, cudaArray_const_t Src, size_t X,
                        size_t Y, size_t Width, size_t Height, cudaMemcpyKind Kind,
                        cudaStream_t Stream, bool Wait) {
  Planar A;
  A.SrcArray = Src;
  A.SrcX = X;
  A.SrcY = Y;
  A.Dst = Dst;
  A.DstPitch = Pitch;
  A.Width = Width;
  A.Height = Height;
  return Src ? copyPlanar(C, A, Kind, Stream, Wait) : cudaErrorInvalidResourceHandle;
}

/// The old one-dimensional forms wrap at row ends: calls \p Row(Y, X, Done, Bytes) for each piece.
template <typename F>
cudaError_t forRows(cudaArray_const_t Array, size_t X, size_t Y, size_t Bytes, F &&Row) {
  CUDA_ARRAY3D_DESCRIPTOR Desc;
  if (CUresult R = describeArray(toArray(Array), &Desc))
    return toError(R);
  size_t RowBytes = Desc.Width * Desc.NumChannels * channelBytes(Desc.Format);
  size_t Rows = Desc.Height ? Desc.Height : 1;
  // Refused as a whole, before the first row moves.
  if (Bytes && (X >= RowBytes || Y >= Rows || Bytes > (Rows - Y) * RowBytes - X))
    return cudaErrorInvalidValue;
  for (size_t Done = 0; Done < Bytes; X = 0, ++Y) {
    size_t Piece = std::min(Bytes - Done, RowBytes - X);
    if (cudaError_t E = Row(Y, X, Done, Piece))
      return E;
    Done += Piece;
  }
  return cudaSuccess;
}

cudaError_t toArray1D(CUcontext C, cudaArray_t Dst, size_t X, size_t Y, const void *Src,
                      size_t Bytes, cudaMemcpyKind Kind, cudaStream_t Stream, bool Wait) {
  return forRows(Dst, X, Y, Bytes, [&](size_t RowY, size_t RowX, size_t Done, size_t Piece) {
    return toArray2D(C, Dst, RowX, RowY, static_cast<const char *>(Src) + Done, Piece, Piece, 1,
                     Kind, Stream, Wait);
  });
}

cudaError_t fromArray1D(CUcontext C, void *Dst, cudaArray_const_t Src, size_t X, size_t Y,
                        size_t Bytes, cudaMemcpyKind Kind, cudaStream_t Stream, bool Wait) {
  return forRows(Src, X, Y, Bytes, [&](size_t RowY, size_t RowX, size_t Done, size_t Piece) {
    return fromArray2D(C, static_cast<char *>(Dst) + Done, Piece, Src, RowX, RowY, Piece, 1, Kind,
                       Stream, Wait);
  });
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t Dst, size_t X, size_t Y, const void *Src,
                                          size_t Pitch, size_t Width, size_t Height,
                                          cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return toArray2D(C, Dst, X, Y, Src, Pitch, Width, Height, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t Dst, size_t X, size_t Y, const void *Src,
                                               size_t Pitch, size_t Width, size_t Height,
                                               cudaMemcpyKind Kind, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return toArray2D(C, Dst, X, Y, Src, Pitch, Width, Height, Kind, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void *Dst, size_t Pitch, cudaArray_const_t Src,
                                            size_t X, size_t Y, size_t Width, size_t Height,
                                            cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return fromArray2D(C, Dst, Pitch, Src, X, Y, Width, Height, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void *Dst, size_t Pitch, cudaArray_const_t Src,
                                                 size_t X, size_t Y, size_t Width, size_t Height,
                                                 cudaMemcpyKind Kind, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return fromArray2D(C, Dst, Pitch, Src, X, Y, Width, Height, Kind, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray(cudaArray_t Dst, size_t DstX, size_t DstY,
                                               cudaArray_const_t Src, size_t SrcX, size_t SrcY,
                                               size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    Planar A;
    A.DstArray = Dst;
    A.DstX = DstX;
    A.DstY = DstY;
    A.SrcArray = Src;
    A.SrcX = SrcX;
    A.SrcY = SrcY;
    A.Width = Width;
    A.Height = Height;
    return Dst && Src ? copyPlanar(C, A, Kind, nullptr, true) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t Dst, size_t X, size_t Y, const void *Src,
                                        size_t Bytes, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return toArray1D(C, Dst, X, Y, Src, Bytes, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyToArrayAsync(cudaArray_t Dst, size_t X, size_t Y, const void *Src,
                                             size_t Bytes, cudaMemcpyKind Kind,
                                             cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return toArray1D(C, Dst, X, Y, Src, Bytes, Kind, Stream, false);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromArray(void *Dst, cudaArray_const_t Src, size_t X, size_t Y,
                                          size_t Bytes, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return fromArray1D(C, Dst, Src, X, Y, Bytes, Kind, nullptr, true);
  });
}

cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync(void *Dst, cudaArray_const_t Src, size_t X, size_t Y,
                                               size_t Bytes, cudaMemcpyKind Kind,
                                               cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return fromArray1D(C, Dst, Src, X, Y, Bytes, Kind, Stream, false);
  });
}

} // extern "C"
