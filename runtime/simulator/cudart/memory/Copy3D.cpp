// Three-dimensional copies, copies between peers, batches.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"
#include "device/memory/Array.h"

using namespace gpuinstr::sim;

cudaError_t gpuinstr::sim::toDriverCopy(const cudaMemcpy3DParms &P, CUDA_MEMCPY3D &To) {
  CUmemorytype DstType, SrcType;
  if (!memoryTypes(P.kind, DstType, SrcType))
    return cudaErrorInvalidMemcpyDirection;
  To = {};
  if (!P.extent.width || !P.extent.height || !P.extent.depth)
    return cudaSuccess;
  // Each side is an array or linear memory, never both and never neither.
  if (!P.srcArray == !P.srcPtr.ptr || !P.dstArray == !P.dstPtr.ptr)
    return cudaErrorInvalidValue;
  size_t SrcElement = P.srcArray ? elementBytes(toArray(P.srcArray)) : 1;
  size_t DstElement = P.dstArray ? elementBytes(toArray(P.dstArray)) : 1;
  if (!SrcElement || !DstElement || (P.srcArray && P.dstArray && SrcElement != DstElement))
    return cudaErrorInvalidValue;
  // With an array on either side the width counts elements.
  size_t Element = P.srcArray ? SrcElement : DstElement;
  if (__builtin_mul_overflow(P.extent.width, Element, &To.WidthInBytes) ||
      __builtin_mul_overflow(P.srcPos.x, SrcElement, &To.srcXInBytes) ||
      __builtin_mul_overflow(P.dstPos.x, DstElement, &To.dstXInBytes))
    return cudaErrorInvalidValue;
  To.srcY = P.srcPos.y;
  To.srcZ = P.srcPos.z;
  To.srcMemoryType = P.srcArray ? CU_MEMORYTYPE_ARRAY : SrcType;
  To.srcArray = toArray(P.srcArray);
  To.srcHost = P.srcPtr.ptr;
  To.srcDevice = toAddress(P.srcPtr.ptr);
  To.srcPitch = P.srcPtr.pitch;
  To.srcHeight = P.srcPtr.ysize;
  To.dstY = P.dstPos.y;
  To.dstZ = P.dstPos.z;
  To.dstMemoryType = P.dstArray ? CU_MEMORYTYPE_ARRAY : DstType;
  To.dstArray = toArray(P.dstArray);
  To.dstHost = P.dstPtr.ptr;
  To.dstDevice = toAddress(P.dstPtr.ptr);
  To.dstPitch = P.dstPtr.pitch;
  To.dstHeight = P.dstPtr.ysize;
  To.Height = P.extent.height;
  To.Depth = P.extent.depth;
  return cudaSuccess;
}

namespace {

cudaMemcpyKind kindOf(const CUDA_MEMCPY3D &P) {
  if (P.dstMemoryType == CU_MEMORYTYPE_UNIFIED || P.srcMemoryType == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  bool ToHost = P.dstMemoryType == CU_MEMORYTYPE_HOST;
  bool FromHost = P.srcMemoryType == CU_MEMORYTYPE_HOST;
  if (FromHost)
    return ToHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return ToHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaError_t copy3D(CUcontext C, const cudaMemcpy3DParms *P, cudaStream_t Stream, bool Wait) {
  if (!P)
    return cudaErrorInvalidValue;
  CUDA_MEMCPY3D Copy;
  if (cudaError_t E = toDriverCopy(*P, Copy))
    return E;
  return toError(copy(C, Copy, Stream, Wait));
}

cudaError_t copyPeer(CUcontext C, const cudaMemcpy3DPeerParms *P, cudaStream_t Stream, bool Wait) {
  if (!P)
    return cudaErrorInvalidValue;
  if (!isDevice(state(), P->srcDevice) || !isDevice(state(), P->dstDevice))
    return cudaErrorInvalidDevice;
  cudaMemcpy3DParms Plain = {P->srcArray, P->srcPos, P->srcPtr, P->dstArray,
                             P->dstPos,   P->dstPtr, P->extent, cudaMemcpyDeviceToDevice};
  return copy3D(C, &Plain, Stream, Wait);
}

/// One side of a batched 3D copy as the pointer form of cudaMemcpy3DParms.
void operand(const cudaMemcpy3DOperand &From, const cudaExtent &Extent, cudaArray_t &Array,
             cudaPos &Pos, cudaPitchedPtr &Ptr) {
  if (From.type == cudaMemcpyOperandTypeArray) {
    Array = From.op.array.array;
    Pos = {From.op.array.offset.x, From.op.array.offset.y, From.op.array.offset.z};
    return;
  }
  size_t Row = From.op.ptr.rowLength ? From.op.ptr.rowLength : Extent.width;
  size_t Rows = From.op.ptr.layerHeight ? From.op.ptr.layerHeight : Extent.height;
  Ptr = {From.op.ptr.ptr, Row, Row, Rows};
}

cudaError_t copyBatch3D(CUcontext C, size_t Count, cudaMemcpy3DBatchOp *Ops, cudaStream_t Stream) {
  for (size_t I = 0; I < Count; ++I) {
    cudaMemcpy3DParms P = {};
    P.extent = Ops[I].extent;
    P.kind = cudaMemcpyDefault;
    operand(Ops[I].src, P.extent, P.srcArray, P.srcPos, P.srcPtr);
    operand(Ops[I].dst, P.extent, P.dstArray, P.dstPos, P.dstPtr);
    // Row lengths count elements of the array when one takes part.
    size_t Element = P.srcArray   ? elementBytes(toArray(P.srcArray))
                     : P.dstArray ? elementBytes(toArray(P.dstArray))
                                  : 1;
    P.srcPtr.pitch *= Element;
    P.dstPtr.pitch *= Element;
    if (cudaError_t E = copy3D(C, &P, Stream, false))
      return E;
  }
  return cudaSuccess;
}

} // namespace

cudaMemcpy3DParms gpuinstr::sim::toRuntimeCopy(const CUDA_MEMCPY3D &P) {
  cudaMemcpy3DParms Out = {};
  bool SrcArray = P.srcMemoryType == CU_MEMORYTYPE_ARRAY;
  bool DstArray = P.dstMemoryType == CU_MEMORYTYPE_ARRAY;
  size_t SrcElement = SrcArray ? P.srcArray->ElementBytes : 1;
  size_t DstElement = DstArray ? P.dstArray->ElementBytes : 1;
  Out.extent = {P.WidthInBytes / (SrcArray ? SrcElement : DstElement), P.Height, P.Depth};
  Out.srcPos = {P.srcXInBytes / SrcElement, P.srcY, P.srcZ};
  Out.dstPos = {P.dstXInBytes / DstElement, P.dstY, P.dstZ};
  if (SrcArray)
    Out.srcArray = reinterpret_cast<cudaArray_t>(P.srcArray);
  else
    Out.srcPtr = {P.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void *>(P.srcHost)
                                                        : reinterpret_cast<void *>(P.srcDevice),
                  P.srcPitch, P.WidthInBytes, P.srcHeight};
  if (DstArray)
    Out.dstArray = reinterpret_cast<cudaArray_t>(P.dstArray);
  else
    Out.dstPtr = {P.dstMemoryType == CU_MEMORYTYPE_HOST ? P.dstHost
                                                        : reinterpret_cast<void *>(P.dstDevice),
                  P.dstPitch, P.WidthInBytes, P.dstHeight};
  Out.kind = kindOf(P);
  return Out;
}

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy3D(const cudaMemcpy3DParms *P) {
  return deviceCall(__func__, [&](CUcontext C) { return copy3D(C, P, nullptr, true); });
}

cudaError_t CUDARTAPI cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) { return copy3D(C, P, Stream, false); });
}

cudaError_t CUDARTAPI cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *P) {
  return deviceCall(__func__, [&](CUcontext C) { return copyPeer(C, P, nullptr, true); });
}

cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *P, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) { return copyPeer(C, P, Stream, false); });
}

cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void *const *Dsts, const void *const *Srcs,
                                           const size_t *Sizes, size_t Count,
                                           cudaMemcpyAttributes *Attrs, size_t *AttrIndices,
                                           size_t AttrCount, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Dsts || !Srcs || !Sizes || !Count || !Attrs || !AttrIndices || !AttrCount || !Stream ||
        AttrIndices[0])
      return cudaErrorInvalidValue;
    for (size_t I = 0; I < Count; ++I)
      if (cudaError_t E =
              copyLinear(C, Dsts[I], Srcs[I], Sizes[I], cudaMemcpyDefault, Stream, false))
        return E;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t Count, cudaMemcpy3DBatchOp *Ops,
                                             unsigned long long Flags, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Count || !Ops || Flags || !Stream)
      return cudaErrorInvalidValue;
    return copyBatch3D(C, Count, Ops, Stream);
  });
}

} // extern "C"
