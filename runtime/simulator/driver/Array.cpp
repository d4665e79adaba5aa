// Arrays, mipmapped arrays, texture and surface objects.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Array.h"

#include "api/Call.h"

using namespace gpuinstr::sim;

extern "C" {

CUresult CUDAAPI cuArrayCreate(CUarray *Out, const CUDA_ARRAY_DESCRIPTOR *Desc) {
  return contextCall(__func__, [&](CUcontext C) {
    if (!Desc)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR Full = {Desc->Width,  Desc->Height,      0,
                                    Desc->Format, Desc->NumChannels, 0};
    return createArray(C, Full, Out);
  });
}

CUresult CUDAAPI cuArray3DCreate(CUarray *Out, const CUDA_ARRAY3D_DESCRIPTOR *Desc) {
  return contextCall(__func__, [&](CUcontext C) {
    return Desc ? createArray(C, *Desc, Out) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *Out, CUarray Array) {
  return contextCall(__func__, [&](CUcontext) {
    CUDA_ARRAY3D_DESCRIPTOR Full;
    CUresult R = Out ? describeArray(Array, &Full) : CUDA_ERROR_INVALID_VALUE;
    if (!R)
      *Out = {Full.Width, Full.Height, Full.Format, Full.NumChannels};
    return R;
  });
}

CUresult CUDAAPI cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *Out, CUarray Array) {
  return contextCall(__func__, [&](CUcontext) { return describeArray(Array, Out); });
}

CUresult CUDAAPI cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *Out, CUarray Array,
                                              CUdevice Dev) {
  return contextCall(__func__, [&](CUcontext) {
    if (!Out || !isDevice(state(), Dev))
      return CUDA_ERROR_INVALID_VALUE;
    *Out = {};
    Out->alignment = Arena::Granularity;
    return arrayBytes(Array, &Out->size);
  });
}

CUresult CUDAAPI cuArrayDestroy(CUarray Array) {
  return contextCall(__func__, [&](CUcontext) { return destroyArray(Array); });
}

CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *Out, const CUDA_ARRAY3D_DESCRIPTOR *Desc,
                                        unsigned Levels) {
  return contextCall(__func__, [&](CUcontext C) {
    return Desc ? createMipmap(C, *Desc, Levels, Out) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *Out, CUmipmappedArray Mipmap, unsigned Level) {
  return contextCall(__func__, [&](CUcontext) { return mipmapLevel(Mipmap, Level, Out); });
}

CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray Mipmap) {
  return contextCall(__func__, [&](CUcontext) { return destroyMipmap(Mipmap); });
}

CUresult CUDAAPI cuTexObjectCreate(CUtexObject *Out, const CUDA_RESOURCE_DESC *Resource,
                                   const CUDA_TEXTURE_DESC *Texture,
                                   const CUDA_RESOURCE_VIEW_DESC *View) {
  return contextCall(__func__, [&](CUcontext) {
    if (!Out || !Resource || !Texture)
      return CUDA_ERROR_INVALID_VALUE;
    TextureObject T;
    T.Resource = *Resource;
    T.Texture = *Texture;
    T.HasView = View != nullptr;
    if (View)
      T.View = *View;
    return createTexture(T, Out);
  });
}

CUresult CUDAAPI cuTexObjectDestroy(CUtexObject Handle) {
  return contextCall(__func__, [&](CUcontext) { return destroyTexture(Handle, false); });
}

CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *Out, CUtexObject Handle) {
  return contextCall(__func__, [&](CUcontext) {
    return readTexture(Handle, false, Out, [](const TextureObject &T) { return T.Resource; });
  });
}

CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *Out, CUtexObject Handle) {
  return contextCall(__func__, [&](CUcontext) {
    return readTexture(Handle, false, Out, [](const TextureObject &T) { return T.Texture; });
  });
}

CUresult CUDAAPI cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *Out, CUtexObject Handle) {
  return contextCall(__func__, [&](CUcontext) { return readTextureView(Handle, Out); });
}

CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *Out, const CUDA_RESOURCE_DESC *Resource) {
  return contextCall(__func__, [&](CUcontext) {
    if (!Out || !Resource)
      return CUDA_ERROR_INVALID_VALUE;
    TextureObject T;
    T.Surface = true;
    T.Resource = *Resource;
    return createTexture(T, Out);
  });
}

CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject Handle) {
  return contextCall(__func__, [&](CUcontext) { return destroyTexture(Handle, true); });
}

CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *Out, CUsurfObject Handle) {
  return contextCall(__func__, [&](CUcontext) {
    return readTexture(Handle, true, Out, [](const TextureObject &T) { return T.Resource; });
  });
}

} // extern "C"
