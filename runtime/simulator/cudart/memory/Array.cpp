// CUDA arrays and mipmapped arrays.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Array.h"

#include "cudart/memory/ArrayFormat.h"

using namespace gpuinstr::sim;

bool gpuinstr::sim::toDriverFormat(const cudaChannelFormatDesc &Desc, CUarray_format &Format,
                                   unsigned &Channels) {
  Channels = Desc.w ? 4 : Desc.z ? 3 : Desc.y ? 2 : 1;
  for (int Bits : {Desc.y, Desc.z, Desc.w})
    if (Bits && Bits != Desc.x)
      return false;
  struct Known {
    cudaChannelFormatKind Kind;
    int Bits;
    CUarray_format Format;
  };
  static constexpr Known Formats[] = {
      {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
      {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
      {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
      {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
      {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
      {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
      {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
      {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
  };
  for (const Known &K : Formats)
    if (K.Kind == Desc.f && K.Bits == Desc.x) {
      Format = K.Format;
      return true;
    }
  return false;
}

cudaChannelFormatDesc gpuinstr::sim::toRuntimeFormat(CUarray_format Format, unsigned Channels) {
  int Bits = static_cast<int>(8 * channelBytes(Format));
  cudaChannelFormatKind Kind = cudaChannelFormatKindUnsigned;
  if (Format == CU_AD_FORMAT_HALF || Format == CU_AD_FORMAT_FLOAT)
    Kind = cudaChannelFormatKindFloat;
  else if (Format >= CU_AD_FORMAT_SIGNED_INT8)
    Kind = cudaChannelFormatKindSigned;
  return {Bits, Channels > 1 ? Bits : 0, Channels > 2 ? Bits : 0, Channels > 3 ? Bits : 0, Kind};
}

namespace {

cudaError_t describe(const cudaChannelFormatDesc *Format, cudaExtent Extent, unsigned Flags,
                     CUDA_ARRAY3D_DESCRIPTOR &Out) {
  constexpr unsigned Known =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if (!Format || (Flags & ~Known))
    return cudaErrorInvalidValue;
  Out = {};
  Out.Width = Extent.width;
  Out.Height = Extent.height;
  Out.Depth = Extent.depth;
  Out.Flags = Flags;
  if (!toDriverFormat(*Format, Out.Format, Out.NumChannels))
    return cudaErrorInvalidChannelDescriptor;
  return cudaSuccess;
}

cudaError_t allocate(CUcontext C, cudaArray_t *Out, const cudaChannelFormatDesc *Format,
                     cudaExtent Extent, unsigned Flags) {
  CUDA_ARRAY3D_DESCRIPTOR Desc;
  if (cudaError_t E = describe(Format, Extent, Flags, Desc))
    return E;
  return toError(createArray(C, Desc, reinterpret_cast<CUarray *>(Out)));
}

CUmipmappedArray toMipmap(cudaMipmappedArray_const_t M) {
  return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray *>(M));
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t *Out, const cudaChannelFormatDesc *Format,
                                      size_t Width, size_t Height, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) {
    return allocate(C, Out, Format, {Width, Height, 0}, Flags);
  });
}

cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t *Out, const cudaChannelFormatDesc *Format,
                                        cudaExtent Extent, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return allocate(C, Out, Format, Extent, Flags); });
}

cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t Array) {
  return deviceCall(__func__,
                    [&](CUcontext) { return Array ? destroyArray(toArray(Array)) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaMallocMipmappedArray(cudaMipmappedArray_t *Out,
                                               const cudaChannelFormatDesc *Format,
                                               cudaExtent Extent, unsigned Levels, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) {
    CUDA_ARRAY3D_DESCRIPTOR Desc;
    if (cudaError_t E = describe(Format, Extent, Flags, Desc))
      return E;
    return toError(createMipmap(C, Desc, Levels, reinterpret_cast<CUmipmappedArray *>(Out)));
  });
}

cudaError_t CUDARTAPI cudaFreeMipmappedArray(cudaMipmappedArray_t Mipmap) {
  return deviceCall(
      __func__, [&](CUcontext) { return Mipmap ? destroyMipmap(toMipmap(Mipmap)) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaGetMipmappedArrayLevel(cudaArray_t *Out,
                                                 cudaMipmappedArray_const_t Mipmap,
                                                 unsigned Level) {
  return deviceCall(__func__, [&](CUcontext) {
    return mipmapLevel(toMipmap(Mipmap), Level, reinterpret_cast<CUarray *>(Out));
  });
}

cudaError_t CUDARTAPI cudaArrayGetInfo(cudaChannelFormatDesc *Format, cudaExtent *Extent,
                                       unsigned *Flags, cudaArray_t Array) {
  return deviceCall(__func__, [&](CUcontext) {
    CUDA_ARRAY3D_DESCRIPTOR Desc;
    CUresult R = describeArray(toArray(Array), &Desc);
    if (R)
      return R;
    if (Format)
      *Format = toRuntimeFormat(Desc.Format, Desc.NumChannels);
    if (Extent)
      *Extent = {Desc.Width, Desc.Height, Desc.Depth};
    if (Flags)
      *Flags = Desc.Flags;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetChannelDesc(cudaChannelFormatDesc *Out, cudaArray_const_t Array) {
  return deviceCall(__func__, [&](CUcontext) {
    CUDA_ARRAY3D_DESCRIPTOR Desc;
    CUresult R = Out ? describeArray(toArray(Array), &Desc) : CUDA_ERROR_INVALID_VALUE;
    if (!R)
      *Out = toRuntimeFormat(Desc.Format, Desc.NumChannels);
    return R;
  });
}

cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int X, int Y, int Z, int W,
                                                      cudaChannelFormatKind Kind) {
  return {X, Y, Z, W, Kind};
}

cudaError_t CUDARTAPI cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *Out,
                                                     cudaArray_t Array, int Ordinal) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!Out || !isDevice(state(), Ordinal))
      return CUDA_ERROR_INVALID_VALUE;
    *Out = {};
    Out->alignment = Arena::Granularity;
    return arrayBytes(toArray(Array), &Out->size);
  });
}

} // extern "C"
