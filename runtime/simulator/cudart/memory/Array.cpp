// CUDA arrays and mipmapped arrays.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Array.h"

#include "cudart/memory/ArrayFormat.h"

using namespace gpuinstr::sim;

bool gpuinstr::sim::toDriverFormat(const cudaChannelFormatDesc &desc, CUarray_format &format,
                                   unsigned &channels) {
  channels = desc.w ? 4 : desc.z ? 3 : desc.y ? 2 : 1;
  for (int bits : {desc.y, desc.z, desc.w})
    if (bits && bits != desc.x)
      return false;
  struct Known {
    cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
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
  for (const Known &k : Formats)
    if (k.kind == desc.f && k.bits == desc.x) {
      format = k.format;
      return true;
    }
  return false;
}

cudaChannelFormatDesc gpuinstr::sim::toRuntimeFormat(CUarray_format format, unsigned channels) {
  int bits = static_cast<int>(8 * channelBytes(format));
  cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT)
    kind = cudaChannelFormatKindFloat;
  else if (format >= CU_AD_FORMAT_SIGNED_INT8)
    kind = cudaChannelFormatKindSigned;
  return {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
}

namespace {

cudaError_t describe(const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags,
                     CUDA_ARRAY3D_DESCRIPTOR &out) {
  constexpr unsigned Known =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if (!format || (flags & ~Known))
    return cudaErrorInvalidValue;
  out = {};
  out.Width = extent.width;
  out.Height = extent.height;
  out.Depth = extent.depth;
  out.Flags = flags;
  if (!toDriverFormat(*format, out.Format, out.NumChannels))
    return cudaErrorInvalidChannelDescriptor;
  return cudaSuccess;
}

cudaError_t allocate(CUcontext c, cudaArray_t *out, const cudaChannelFormatDesc *format,
                     cudaExtent extent, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR desc;
  if (cudaError_t e = describe(format, extent, flags, desc))
    return e;
  return toError(createArray(c, desc, reinterpret_cast<CUarray *>(out)));
}

CUmipmappedArray toMipmap(cudaMipmappedArray_const_t m) {
  return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray *>(m));
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *format,
                                      size_t width, size_t height, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) {
    return allocate(c, out, format, {width, height, 0}, flags);
  });
}

cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t *out, const cudaChannelFormatDesc *format,
                                        cudaExtent extent, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) { return allocate(c, out, format, extent, flags); });
}

cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t array) {
  return deviceCall(__func__,
                    [&](CUcontext) { return array ? destroyArray(toArray(array)) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
                                               const cudaChannelFormatDesc *format,
                                               cudaExtent extent, unsigned levels, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) {
    CUDA_ARRAY3D_DESCRIPTOR desc;
    if (cudaError_t e = describe(format, extent, flags, desc))
      return e;
    return toError(createMipmap(c, desc, levels, reinterpret_cast<CUmipmappedArray *>(out)));
  });
}

cudaError_t CUDARTAPI cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  return deviceCall(
      __func__, [&](CUcontext) { return mipmap ? destroyMipmap(toMipmap(mipmap)) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaGetMipmappedArrayLevel(cudaArray_t *out,
                                                 cudaMipmappedArray_const_t mipmap,
                                                 unsigned level) {
  return deviceCall(__func__, [&](CUcontext) {
    return mipmapLevel(toMipmap(mipmap), level, reinterpret_cast<CUarray *>(out));
  });
}

cudaError_t CUDARTAPI cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent,
                                       unsigned *flags, cudaArray_t array) {
  return deviceCall(__func__, [&](CUcontext) {
    CUDA_ARRAY3D_DESCRIPTOR desc;
    CUresult r = describeArray(toArray(array), &desc);
    if (r)
      return r;
    if (format)
      *format = toRuntimeFormat(desc.Format, desc.NumChannels);
    if (extent)
      *extent = {desc.Width, desc.Height, desc.Depth};
    if (flags)
      *flags = desc.Flags;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaGetChannelDesc(cudaChannelFormatDesc *out, cudaArray_const_t array) {
  return deviceCall(__func__, [&](CUcontext) {
    CUDA_ARRAY3D_DESCRIPTOR desc;
    CUresult r = out ? describeArray(toArray(array), &desc) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
      *out = toRuntimeFormat(desc.Format, desc.NumChannels);
    return r;
  });
}

cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                      cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t CUDARTAPI cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *out,
                                                     cudaArray_t array, int ordinal) {
  return deviceCall(__func__, [&](CUcontext) {
    if (!out || !isDevice(state(), ordinal))
      return CUDA_ERROR_INVALID_VALUE;
    *out = {};
    out->alignment = Arena::Granularity;
    return arrayBytes(toArray(array), &out->size);
  });
}

} // extern "C"
