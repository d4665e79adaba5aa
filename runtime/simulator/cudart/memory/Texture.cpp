// Texture and surface objects.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/memory/ArrayFormat.h"
#include "device/memory/Array.h"

#include <algorithm>
#include <cstring>

using namespace gpuinstr::sim;

namespace {

cudaError_t toDriver(const cudaResourceDesc &from, CUDA_RESOURCE_DESC &to) {
  to = {};
  to.resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
  case cudaResourceTypeArray:
    to.res.array.hArray = toArray(from.res.array.array);
    return cudaSuccess;
  case cudaResourceTypeMipmappedArray:
    to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
    return cudaSuccess;
  case cudaResourceTypeLinear:
    to.res.linear.devPtr = toAddress(from.res.linear.devPtr);
    to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
    return toDriverFormat(from.res.linear.desc, to.res.linear.format, to.res.linear.numChannels)
               ? cudaSuccess
               : cudaErrorInvalidChannelDescriptor;
  case cudaResourceTypePitch2D:
    to.res.pitch2D.devPtr = toAddress(from.res.pitch2D.devPtr);
    to.res.pitch2D.width = from.res.pitch2D.width;
    to.res.pitch2D.height = from.res.pitch2D.height;
    to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
    return toDriverFormat(from.res.pitch2D.desc, to.res.pitch2D.format, to.res.pitch2D.numChannels)
               ? cudaSuccess
               : cudaErrorInvalidChannelDescriptor;
  }
  return cudaErrorInvalidValue;
}

cudaResourceDesc toRuntime(const CUDA_RESOURCE_DESC &from) {
  cudaResourceDesc to;
  std::memset(&to, 0, sizeof(to));
  to.resType = static_cast<cudaResourceType>(from.resType);
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to.res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    to.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
    break;
  case CU_RESOURCE_TYPE_LINEAR:
    to.res.linear.devPtr = reinterpret_cast<void *>(from.res.linear.devPtr);
    to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
    to.res.linear.desc = toRuntimeFormat(from.res.linear.format, from.res.linear.numChannels);
    break;
  default:
    to.res.pitch2D.devPtr = reinterpret_cast<void *>(from.res.pitch2D.devPtr);
    to.res.pitch2D.width = from.res.pitch2D.width;
    to.res.pitch2D.height = from.res.pitch2D.height;
    to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
    to.res.pitch2D.desc = toRuntimeFormat(from.res.pitch2D.format, from.res.pitch2D.numChannels);
    break;
  }
  return to;
}

CUDA_TEXTURE_DESC toDriver(const cudaTextureDesc &from) {
  CUDA_TEXTURE_DESC to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to.flags = (from.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
             (from.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
             (from.sRGB ? CU_TRSF_SRGB : 0);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy_n(from.borderColor, 4, to.borderColor);
  return to;
}

cudaTextureDesc toRuntime(const CUDA_TEXTURE_DESC &from) {
  cudaTextureDesc to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode =
      from.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy_n(from.borderColor, 4, to.borderColor);
  return to;
}

CUresult describe(uint64_t handle, bool surface, cudaResourceDesc *out) {
  return readTexture(handle, surface, out,
                     [](const TextureObject &t) { return toRuntime(t.resource); });
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t *out,
                                              const cudaResourceDesc *resource,
                                              const cudaTextureDesc *texture,
                                              const cudaResourceViewDesc *view) {
  return deviceCall(__func__, [&](CUcontext) -> cudaError_t {
    if (!out || !resource || !texture)
      return cudaErrorInvalidValue;
    TextureObject t;
    if (cudaError_t e = toDriver(*resource, t.resource))
      return e;
    t.texture = toDriver(*texture);
    t.hasView = view != nullptr;
    static_assert(sizeof(*view) <= sizeof(t.view), "the view's fields have the same places");
    if (view)
      std::memcpy(&t.view, view, sizeof(*view));
    return toError(createTexture(t, out));
  });
}

cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return deviceCall(
      __func__, [&](CUcontext) { return handle ? destroyTexture(handle, false) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc(cudaResourceDesc *out,
                                                       cudaTextureObject_t handle) {
  return deviceCall(__func__, [&](CUcontext) { return describe(handle, false, out); });
}

cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc(cudaTextureDesc *out,
                                                      cudaTextureObject_t handle) {
  return deviceCall(__func__, [&](CUcontext) {
    return readTexture(handle, false, out,
                       [](const TextureObject &t) { return toRuntime(t.texture); });
  });
}

cudaError_t CUDARTAPI cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *out,
                                                           cudaTextureObject_t handle) {
  return deviceCall(__func__, [&](CUcontext) { return readTextureView(handle, out); });
}

cudaError_t CUDARTAPI cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                              const cudaResourceDesc *resource) {
  return deviceCall(__func__, [&](CUcontext) -> cudaError_t {
    if (!out || !resource)
      return cudaErrorInvalidValue;
    TextureObject t;
    t.surface = true;
    if (cudaError_t e = toDriver(*resource, t.resource))
      return e;
    return toError(createTexture(t, out));
  });
}

cudaError_t CUDARTAPI cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return deviceCall(
      __func__, [&](CUcontext) { return handle ? destroyTexture(handle, true) : CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out,
                                                       cudaSurfaceObject_t handle) {
  return deviceCall(__func__, [&](CUcontext) { return describe(handle, true, out); });
}

} // extern "C"
