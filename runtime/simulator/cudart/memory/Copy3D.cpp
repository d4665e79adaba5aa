// Three-dimensional copies, copies between peers, batches.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/CopyParams.h"
#include "device/memory/Array.h"

using namespace gpuinstr::sim;

cudaError_t gpuinstr::sim::toDriverCopy(const cudaMemcpy3DParms &p, CUDA_MEMCPY3D &to) {
  CUmemorytype dstType, srcType;
  if (!memoryTypes(p.kind, dstType, srcType))
    return cudaErrorInvalidMemcpyDirection;
  to = {};
  if (!p.extent.width || !p.extent.height || !p.extent.depth)
    return cudaSuccess;
  // Each side is an array or linear memory, never both and never neither.
  if (!p.srcArray == !p.srcPtr.ptr || !p.dstArray == !p.dstPtr.ptr)
    return cudaErrorInvalidValue;
  size_t srcElement = p.srcArray ? elementBytes(toArray(p.srcArray)) : 1;
  size_t dstElement = p.dstArray ? elementBytes(toArray(p.dstArray)) : 1;
  if (!srcElement || !dstElement || (p.srcArray && p.dstArray && srcElement != dstElement))
    return cudaErrorInvalidValue;
  // With an array on either side the width counts elements.
  size_t element = p.srcArray ? srcElement : dstElement;
  if (__builtin_mul_overflow(p.extent.width, element, &to.WidthInBytes) ||
      __builtin_mul_overflow(p.srcPos.x, srcElement, &to.srcXInBytes) ||
      __builtin_mul_overflow(p.dstPos.x, dstElement, &to.dstXInBytes))
    return cudaErrorInvalidValue;
  to.srcY = p.srcPos.y;
  to.srcZ = p.srcPos.z;
  to.srcMemoryType = p.srcArray ? CU_MEMORYTYPE_ARRAY : srcType;
  to.srcArray = toArray(p.srcArray);
  to.srcHost = p.srcPtr.ptr;
  to.srcDevice = toAddress(p.srcPtr.ptr);
  to.srcPitch = p.srcPtr.pitch;
  to.srcHeight = p.srcPtr.ysize;
  to.dstY = p.dstPos.y;
  to.dstZ = p.dstPos.z;
  to.dstMemoryType = p.dstArray ? CU_MEMORYTYPE_ARRAY : dstType;
  to.dstArray = toArray(p.dstArray);
  to.dstHost = p.dstPtr.ptr;
  to.dstDevice = toAddress(p.dstPtr.ptr);
  to.dstPitch = p.dstPtr.pitch;
  to.dstHeight = p.dstPtr.ysize;
  to.Height = p.extent.height;
  to.Depth = p.extent.depth;
  return cudaSuccess;
}

namespace {

cudaMemcpyKind kindOf(const CUDA_MEMCPY3D &p) {
  if (p.dstMemoryType == CU_MEMORYTYPE_UNIFIED || p.srcMemoryType == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  bool toHost = p.dstMemoryType == CU_MEMORYTYPE_HOST;
  bool fromHost = p.srcMemoryType == CU_MEMORYTYPE_HOST;
  if (fromHost)
    return toHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return toHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaError_t copy3D(CUcontext c, const cudaMemcpy3DParms *p, cudaStream_t stream, bool wait) {
  if (!p)
    return cudaErrorInvalidValue;
  CUDA_MEMCPY3D op;
  if (cudaError_t e = toDriverCopy(*p, op))
    return e;
  return toError(copy(c, op, stream, wait));
}

cudaError_t copyPeer(CUcontext c, const cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool wait) {
  if (!p)
    return cudaErrorInvalidValue;
  if (!isDevice(state(), p->srcDevice) || !isDevice(state(), p->dstDevice))
    return cudaErrorInvalidDevice;
  cudaMemcpy3DParms plain = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                             p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return copy3D(c, &plain, stream, wait);
}

/// One side of a batched 3D copy as the pointer form of cudaMemcpy3DParms.
void operand(const cudaMemcpy3DOperand &from, const cudaExtent &extent, cudaArray_t &array,
             cudaPos &pos, cudaPitchedPtr &ptr) {
  if (from.type == cudaMemcpyOperandTypeArray) {
    array = from.op.array.array;
    pos = {from.op.array.offset.x, from.op.array.offset.y, from.op.array.offset.z};
    return;
  }
  size_t row = from.op.ptr.rowLength ? from.op.ptr.rowLength : extent.width;
  size_t rows = from.op.ptr.layerHeight ? from.op.ptr.layerHeight : extent.height;
  ptr = {from.op.ptr.ptr, row, row, rows};
}

cudaError_t copyBatch3D(CUcontext c, size_t count, cudaMemcpy3DBatchOp *ops, cudaStream_t stream) {
  for (size_t i = 0; i < count; ++i) {
    cudaMemcpy3DParms p = {};
    p.extent = ops[i].extent;
    p.kind = cudaMemcpyDefault;
    operand(ops[i].src, p.extent, p.srcArray, p.srcPos, p.srcPtr);
    operand(ops[i].dst, p.extent, p.dstArray, p.dstPos, p.dstPtr);
    // Row lengths count elements of the array when one takes part.
    size_t element = p.srcArray   ? elementBytes(toArray(p.srcArray))
                     : p.dstArray ? elementBytes(toArray(p.dstArray))
                                  : 1;
    p.srcPtr.pitch *= element;
    p.dstPtr.pitch *= element;
    if (cudaError_t e = copy3D(c, &p, stream, false))
      return e;
  }
  return cudaSuccess;
}

} // namespace

cudaMemcpy3DParms gpuinstr::sim::toRuntimeCopy(const CUDA_MEMCPY3D &p) {
  cudaMemcpy3DParms out = {};
  bool srcArray = p.srcMemoryType == CU_MEMORYTYPE_ARRAY;
  bool dstArray = p.dstMemoryType == CU_MEMORYTYPE_ARRAY;
  size_t srcElement = srcArray ? p.srcArray->elementBytes : 1;
  size_t dstElement = dstArray ? p.dstArray->elementBytes : 1;
  out.extent = {p.WidthInBytes / (srcArray ? srcElement : dstElement), p.Height, p.Depth};
  out.srcPos = {p.srcXInBytes / srcElement, p.srcY, p.srcZ};
  out.dstPos = {p.dstXInBytes / dstElement, p.dstY, p.dstZ};
  if (srcArray)
    out.srcArray = reinterpret_cast<cudaArray_t>(p.srcArray);
  else
    out.srcPtr = {p.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void *>(p.srcHost)
                                                        : reinterpret_cast<void *>(p.srcDevice),
                  p.srcPitch, p.WidthInBytes, p.srcHeight};
  if (dstArray)
    out.dstArray = reinterpret_cast<cudaArray_t>(p.dstArray);
  else
    out.dstPtr = {p.dstMemoryType == CU_MEMORYTYPE_HOST ? p.dstHost
                                                        : reinterpret_cast<void *>(p.dstDevice),
                  p.dstPitch, p.WidthInBytes, p.dstHeight};
  out.kind = kindOf(p);
  return out;
}

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  return deviceCall(__func__, [&](CUcontext c) { return copy3D(c, p, nullptr, true); });
}

cudaError_t CUDARTAPI cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) { return copy3D(c, p, stream, false); });
}

cudaError_t CUDARTAPI cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
  return deviceCall(__func__, [&](CUcontext c) { return copyPeer(c, p, nullptr, true); });
}

cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) { return copyPeer(c, p, stream, false); });
}

cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
                                           const size_t *sizes, size_t count,
                                           cudaMemcpyAttributes *attrs, size_t *attrIndices,
                                           size_t attrCount, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!dsts || !srcs || !sizes || !count || !attrs || !attrIndices || !attrCount || !stream ||
        attrIndices[0])
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (cudaError_t e =
              copyLinear(c, dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream, false))
        return e;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *ops,
                                             unsigned long long flags, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!count || !ops || flags || !stream)
      return cudaErrorInvalidValue;
    return copyBatch3D(c, count, ops, stream);
  });
}

} // extern "C"
