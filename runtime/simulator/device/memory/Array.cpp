// CUDA arrays, mipmapped arrays, and the texture and surface objects made of them.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Array.h"

#include "common/DeviceModel.h"
#include "device/memory/Allocations.h"
#include "device/stream/Stream.h"

#include <algorithm>
#include <cstring>

namespace gpuinstr::sim {

namespace {

std::unordered_map<uint64_t, TextureObject> &textures() {
  static auto *objects = new std::unordered_map<uint64_t, TextureObject>;
  return *objects;
}

bool exceeds(size_t value, CUdevice_attribute limit) {
  return value > static_cast<size_t>(deviceAttribute(limit));
}

bool validDesc(const CUDA_ARRAY3D_DESCRIPTOR &d) {
  if (!d.Width || !channelBytes(d.Format))
    return false;
  if (d.NumChannels != 1 && d.NumChannels != 2 && d.NumChannels != 4)
    return false;
  bool layered = d.Flags & CUDA_ARRAY3D_LAYERED, cube = d.Flags & CUDA_ARRAY3D_CUBEMAP;
  if (cube && (d.Width != d.Height || !d.Depth || d.Depth % 6))
    return false;
  if (layered || cube)
    return d.Depth && !exceeds(d.Depth, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS) &&
           !exceeds(d.Width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH);
  if (d.Depth)
    return d.Height && !exceeds(d.Width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH) &&
           !exceeds(d.Height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT) &&
           !exceeds(d.Depth, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH);
  return !exceeds(d.Width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH) &&
         !exceeds(d.Height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT);
}

/// Fills \p made and gives it memory; the lock is held.
CUresult allocate(State &s, CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR &desc,
                  CUarray_st &made) {
  made.desc = desc;
  made.context = context;
  made.elementBytes = channelBytes(desc.Format) * desc.NumChannels;
  made.rowBytes = desc.Width * made.elementBytes;
  made.rows = std::max<size_t>(1, desc.Height);
  made.slices = std::max<size_t>(1, desc.Depth);
  made.memory =
      s.devices[context->device]->memory.allocate(made.rowBytes * made.rows * made.slices);
  if (!made.memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  s.arrays.insert(&made);
  return CUDA_SUCCESS;
}

void release(State &s, CUarray array) {
  s.devices[array->context->device]->memory.release(array->memory);
  s.arrays.erase(array);
}

/// The same resource on the live state: arrays must live, linear memory must be the device's.
bool validResource(State &s, const TextureObject &t) {
  const CUDA_RESOURCE_DESC &r = t.resource;
  switch (r.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    return s.arrays.count(r.res.array.hArray) != 0;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    return !t.surface && s.mipmaps.count(r.res.mipmap.hMipmappedArray) != 0;
  case CU_RESOURCE_TYPE_LINEAR:
    return !t.surface && findAllocation(s, r.res.linear.devPtr);
  case CU_RESOURCE_TYPE_PITCH2D:
    return !t.surface && findAllocation(s, r.res.pitch2D.devPtr) && r.res.pitch2D.width &&
           r.res.pitch2D.height &&
           r.res.pitch2D.pitchInBytes %
                   deviceAttribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) ==
               0;
  default:
    return false;
  }
}

} // namespace

size_t channelBytes(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return 1;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 2;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 4;
  default:
    return 0;
  }
}

CUresult createArray(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR &desc, CUarray *out) {
  if (!out || !validDesc(desc))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  auto made = std::make_unique<CUarray_st>();
  if (CUresult r = allocate(s, context, desc, *made))
    return r;
  *out = made.release();
  return CUDA_SUCCESS;
}

CUresult destroyArray(CUarray array) {
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  if (!s.arrays.count(array) || array->partOfMipmap)
    return CUDA_ERROR_INVALID_HANDLE;
  waitForContext(l, array->context);
  release(s, array);
  delete array;
  return CUDA_SUCCESS;
}

CUresult describeArray(CUarray array, CUDA_ARRAY3D_DESCRIPTOR *out) {
  State &s = state();
  Lock l(s.m);
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!s.arrays.count(array))
    return CUDA_ERROR_INVALID_HANDLE;
  *out = array->desc;
  return CUDA_SUCCESS;
}

CUresult arrayBytes(CUarray array, size_t *out) {
  State &s = state();
  Lock l(s.m);
  if (!s.arrays.count(array))
    return CUDA_ERROR_INVALID_HANDLE;
  *out = array->rowBytes * array->rows * array->slices;
  return CUDA_SUCCESS;
}

size_t elementBytes(CUarray array) {
  State &s = state();
  Lock l(s.m);
  return s.arrays.count(array) ? array->elementBytes : 0;
}

CUresult createMipmap(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR &desc, unsigned levels,
                      CUmipmappedArray *out) {
  if (!out || !validDesc(desc))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  bool layered = desc.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
  size_t largest = std::max({desc.Width, desc.Height, layered ? size_t(1) : desc.Depth});
  unsigned most = 1;
  while (largest >>= 1)
    ++most;
  auto mipmap = std::make_unique<CUmipmappedArray_st>();
  mipmap->context = context;
  CUDA_ARRAY3D_DESCRIPTOR level = desc;
  auto halve = [](size_t &size) { size = size ? std::max<size_t>(1, size / 2) : 0; };
  for (unsigned i = 0; i < std::min(std::max(1u, levels), most); ++i) {
    auto array = std::make_unique<CUarray_st>();
    array->partOfMipmap = true;
    if (CUresult r = allocate(s, context, level, *array)) {
      for (auto &made : mipmap->levels)
        release(s, made.get());
      return r;
    }
    mipmap->levels.push_back(std::move(array));
    halve(level.Width);
    halve(level.Height);
    if (!layered)
      halve(level.Depth);
  }
  s.mipmaps.insert(mipmap.get());
  *out = mipmap.release();
  return CUDA_SUCCESS;
}

CUresult destroyMipmap(CUmipmappedArray mipmap) {
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  if (!s.mipmaps.count(mipmap))
    return CUDA_ERROR_INVALID_HANDLE;
  waitForContext(l, mipmap->context);
  for (auto &level : mipmap->levels)
    release(s, level.get());
  s.mipmaps.erase(mipmap);
  delete mipmap;
  return CUDA_SUCCESS;
}

CUresult mipmapLevel(CUmipmappedArray mipmap, unsigned level, CUarray *out) {
  State &s = state();
  Lock l(s.m);
  if (!s.mipmaps.count(mipmap))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!out || level >= mipmap->levels.size())
    return CUDA_ERROR_INVALID_VALUE;
  *out = mipmap->levels[level].get();
  return CUDA_SUCCESS;
}

CUresult createTexture(const TextureObject &description, unsigned long long *out) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  State &s = state();
  Lock l(s.m);
  if (!validResource(s, description))
    return CUDA_ERROR_INVALID_VALUE;
  *out = s.nextId();
  textures()[*out] = description;
  return CUDA_SUCCESS;
}

CUresult destroyTexture(uint64_t handle, bool surface) {
  Lock l(state().m);
  auto found = textures().find(handle);
  if (found == textures().end() || found->second.surface != surface)
    return CUDA_ERROR_INVALID_VALUE;
  textures().erase(found);
  return CUDA_SUCCESS;
}

CUresult describeTexture(uint64_t handle, bool surface, TextureObject *out) {
  Lock l(state().m);
  auto found = textures().find(handle);
  if (found == textures().end() || found->second.surface != surface)
    return CUDA_ERROR_INVALID_VALUE;
  *out = found->second;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
