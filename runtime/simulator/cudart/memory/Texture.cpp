// Texture and surface objects.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/ArrayFormat.h"
#include "device/memory/Array.h"

#include <algorithm>
#include <cstring>

using namespace gpuinstr::sim;

namespace {

cudaError_t toDriver(const cudaResourceDesc &From, CUDA_RESOURCE_DESC &To) {
  To = {};
  To.resType = static_cast<CUresourcetype>(From.resType);
  switch (From.resType) {
  case cudaResourceTypeArray:
    To.res.array.hArray = toArray(From.res.array.array);
    return cudaSuccess;
  case cudaResourceTypeMipmappedArray:
    To.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(From.res.mipmap.mipmap);
    return cudaSuccess;
  case cudaResourceTypeLinear:
    To.res.linear.devPtr = toAddress(From.res.linear.devPtr);
    To.res.linear.sizeInBytes = From.res.linear.sizeInBytes;
    return toDriverFormat(From.res.linear.desc, To.res.linear.format, To.res.linear.numChannels)
               ? cudaSuccess
               : cudaErrorInvalidChannelDescriptor;
  case cudaResourceTypePitch2D:
    To.res.pitch2D.devPtr = toAddress(From.res.pitch2D.devPtr);
    To.res.pitch2D.width = From.res.pitch2D.width;
    To.res.pitch2D.height = From.res.pitch2D.height;
    To.res.pitch2D.pitchInBytes = From.res.pitch2D.pitchInBytes;
    return toDriverFormat(From.res.pitch2D.desc, To.res.pitch2D.format, To.res.pitch2D.numChannels)
               ? cudaSuccess
               : cudaErrorInvalidChannelDescriptor;
  }
  return cudaErrorInvalidValue;
}

cudaResourceDesc toRuntime(const CUDA_RESOURCE_DESC &From) {
  cudaResourceDesc To;
  std::memset(&To, 0, sizeof(To));
  To.resType = static_cast<cudaResourceType>(From.resType);
  switch (From.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    To.res.array.array = reinterpret_cast<cudaArray_t>(From.res.array.hArray);
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    To.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(From.res.mipmap.hMipmappedArray);
    break;
  case CU_RESOURCE_TYPE_LINEAR:
    To.res.linear.devPtr = reinterpret_cast<void *>(From.res.linear.devPtr);
    To.res.linear.sizeInBytes = From.res.linear.sizeInBytes;
    To.res.linear.desc = toRuntimeFormat(From.res.linear.format, From.res.linear.numChannels);
    break;
  default:
    To.res.pitch2D.devPtr = reinterpret_cast<void *>(From.res.pitch2D.devPtr);
    To.res.pitch2D.width = From.res.pitch2D.width;
    To.res.pitch2D.height = From.res.pitch2D.height;
    To.res.pitch2D.pitchInBytes = From.res.pitch2D.pitchInBytes;
    To.res.pitch2D.desc = toRuntimeFormat(From.res.pitch2D.format, From.res.pitch2D.numChannels);
    break;
  }
  return To;
}

CUDA_TEXTURE_DESC toDriver(const cudaTextureDesc &From) {
  CUDA_TEXTURE_DESC To = {};
  for (int I = 0; I < 3; ++I)
    To.addressMode[I] = static_cast<CUaddress_mode>(From.addressMode[I]);
  To.filterMode = static_cast<CUfilter_mode>(From.filterMode);
  To.flags = (From.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
             (From.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
             (From.sRGB ? CU_TRSF_SRGB : 0);
  To.maxAnisotropy = From.maxAnisotropy;
  To.mipmapFilterMode = static_cast<CUfilter_mode>(From.mipmapFilterMode);
  To.mipmapLevelBias = From.mipmapLevelBias;
  To.minMipmapLevelClamp = From.minMipmapLevelClamp;
  To.maxMipmapLevelClamp = From.maxMipmapLevelClamp;
  std::copy_n(From.borderColor, 4, To.borderColor);
  return To;
}

cudaTextureDesc toRuntime(const CUDA_TEXTURE_DESC &From) {
  cudaTextureDesc To = {};
  for (int I = 0; I < 3; ++I)
    To.addressMode[I] = static_cast<cudaTextureAddressMode>(From.addressMode[I]);
  To.filterMode = static_cast<cudaTextureFilterMode>(From.filterMode);
  To.readMode =
      From.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  To.normalizedCoords = (From.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  To.sRGB = (From.flags & CU_TRSF_SRGB) != 0;
  To.maxAnisotropy = From.maxAnisotropy;
  To.mipmapFilterMode = static_cast<cudaTextureFilterMode>(From.mipmapFilterMode);
  To.mipmapLevelBias = From.mipmapLevelBias;
  To.minMipmapLevelClamp = From.minMipmapLevelClamp;
  To.maxMipmapLevelClamp = From.maxMipmapLevelClamp;
  std::copy_n(From.borderColor, 4, To.borderColor);
  return To;
}

CUresult describe(uint64_t Handle, bool Surface, cudaResourceDesc *Out) {
  return readTexture(Handle, Surface, Out,
                     [](const TextureObject &T) { return toRuntime(T.Resource); });
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t *Out,
                                              const cudaResourceDesc *Resource,
                                              const cudaTextureDesc *Texture,
                                              const cudaResourceViewDesc *View) {
  return deviceCall(__func__, [&](CUcontext) -> cudaError_t {
    if (!Out || !Resource || !Texture)
      return cudaErrorInvalidValue;
    TextureObject T;
    if (cudaError_t E = toDriver(*Resource, T.Resource))
      return E;
    T.Texture = toDriver(*Texture);
    T.HasView = View != nullptr;
    static_assert(sizeof(*View) <= sizeof(T.View), "the view's fields have the same places");
    if (View)
      std::memcpy(&T.View, View, sizeof(*View));
    return toError(createTexture(T, Out));
  });
}

cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t Handle) {
  return deviceCall(
      __func__, [&](CUcontext) { return Handle ? destroyTexture(Handle, false) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc(cudaResourceDesc *Out,
                                                       cudaTextureObject_t Handle) {
  return deviceCall(__func__, [&](CUcontext) { return describe(Handle, false, Out); });
}

cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc(cudaTextureDesc *Out,
                                                      cudaTextureObject_t Handle) {
  return deviceCall(__func__, [&](CUcontext) {
    return readTexture(Handle, false, Out,
                       [](const TextureObject &T) { return toRuntime(T.Texture); });
  });
}

cudaError_t CUDARTAPI cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *Out,
                                                           cudaTextureObject_t Handle) {
  return deviceCall(__func__, [&](CUcontext) { return readTextureView(Handle, Out); });
}

cudaError_t CUDARTAPI cudaCreateSurfaceObject(cudaSurfaceObject_t *Out,
                                              const cudaResourceDesc *Resource) {
  return deviceCall(__func__, [&](CUcontext) -> cudaError_t {
    if (!Out || !Resource)
      return cudaErrorInvalidValue;
    TextureObject T;
    T.Surface = true;
    if (cudaError_t E = toDriver(*Resource, T.Resource))
      return E;
    return toError(createTexture(T, Out));
  });
}

cudaError_t CUDARTAPI cudaDestroySurfaceObject(cudaSurfaceObject_t Handle) {
  return deviceCall(
      __func__, [&](CUcontext) { return Handle ? destroyTexture(Handle, true) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *Out,
                                                       cudaSurfaceObject_t Handle) {
  return deviceCall(__func__, [&](CUcontext) { return describe(Handle, true, Out); });
}

} // extern "C"
