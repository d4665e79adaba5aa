// Arrays, mipmapped arrays, texture and surface objects.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Array.h"

#include "api/Call.h"

using namespace gpuinstr::sim;

extern "C" {

CUresult CUDAAPI cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *desc) {
  return contextCall(__func__, [&](CUcontext c) {
    if (!desc)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR full = {desc->Width,  desc->Height,      0,
                                    desc->Format, desc->NumChannels, 0};
    return createArray(c, full, out);
  });
}

CUresult CUDAAPI cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc) {
  return contextCall(__func__, [&](CUcontext c) {
    return desc ? createArray(c, *desc, out) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
  return contextCall(__func__, [&](CUcontext) {
    CUDA_ARRAY3D_DESCRIPTOR full;
    CUresult r = out ? describeArray(array, &full) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
      *out = {full.Width, full.Height, full.Format, full.NumChannels};
    return r;
  });
}

CUresult CUDAAPI cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
  return contextCall(__func__, [&](CUcontext) { return describeArray(array, out); });
}

CUresult CUDAAPI cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUarray array,
                                              CUdevice dev) {
  return contextCall(__func__, [&](CUcontext) {
    if (!out || !isDevice(state(), dev))
      return CUDA_ERROR_INVALID_VALUE;
    *out = {};
    out->alignment = Arena::Granularity;
    return arrayBytes(array, &out->size);
  });
}

CUresult CUDAAPI cuArrayDestroy(CUarray array) {
  return contextCall(__func__, [&](CUcontext) { return destroyArray(array); });
}

CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                                        unsigned levels) {
  return contextCall(__func__, [&](CUcontext c) {
    return desc ? createMipmap(c, *desc, levels, out) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray mipmap, unsigned level) {
  return contextCall(__func__, [&](CUcontext) { return mipmapLevel(mipmap, level, out); });
}

CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
  return contextCall(__func__, [&](CUcontext) { return destroyMipmap(mipmap); });
}

CUresult CUDAAPI cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                                   const CUDA_TEXTURE_DESC *texture,
                                   const CUDA_RESOURCE_VIEW_DESC *view) {
  return contextCall(__func__, [&](CUcontext) {
    if (!out || !resource || !texture)
      return CUDA_ERROR_INVALID_VALUE;
    TextureObject t;
    t.resource = *resource;
    t.texture = *texture;
    t.hasView = view != nullptr;
    if (view)
      t.view = *view;
    return createTexture(t, out);
  });
}

CUresult CUDAAPI cuTexObjectDestroy(CUtexObject handle) {
  return contextCall(__func__, [&](CUcontext) { return destroyTexture(handle, false); });
}

CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject handle) {
  return contextCall(__func__, [&](CUcontext) {
    return readTexture(handle, false, out, [](const TextureObject &t) { return t.resource; });
  });
}

CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject handle) {
  return contextCall(__func__, [&](CUcontext) {
    return readTexture(handle, false, out, [](const TextureObject &t) { return t.texture; });
  });
}

CUresult CUDAAPI cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject handle) {
  return contextCall(__func__, [&](CUcontext) { return readTextureView(handle, out); });
}

CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource) {
  return contextCall(__func__, [&](CUcontext) {
    if (!out || !resource)
      return CUDA_ERROR_INVALID_VALUE;
    TextureObject t;
    t.surface = true;
    t.resource = *resource;
    return createTexture(t, out);
  });
}

CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject handle) {
  return contextCall(__func__, [&](CUcontext) { return destroyTexture(handle, true); });
}

CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject handle) {
  return contextCall(__func__, [&](CUcontext) {
    return readTexture(handle, true, out, [](const TextureObject &t) { return t.resource; });
  });
}

} // extern "C"
