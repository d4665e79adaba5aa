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
  static auto *Objects = new std::unordered_map<uint64_t, TextureObject>;
  return *Objects;
}

bool exceeds(size_t Value, CUdevice_attribute Limit) {
  return Value > static_cast<size_t>(deviceAttribute(Limit));
}

bool validDesc(const CUDA_ARRAY3D_DESCRIPTOR &D) {
  if (!D.Width || !channelBytes(D.Format))
    return false;
  if (D.NumChannels != 1 && D.NumChannels != 2 && D.NumChannels != 4)
    return false;
  bool Layered = D.Flags & CUDA_ARRAY3D_LAYERED, Cube = D.Flags & CUDA_ARRAY3D_CUBEMAP;
  if (Cube && (D.Width != D.Height || !D.Depth || D.Depth % 6))
    return false;
  if (Layered || Cube)
    return D.Depth && !exceeds(D.Depth, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS) &&
           !exceeds(D.Width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH);
  if (D.Depth)
    return D.Height && !exceeds(D.Width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH) &&
           !exceeds(D.Height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT) &&
           !exceeds(D.Depth, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH);
  return !exceeds(D.Width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH) &&
         !exceeds(D.Height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT);
}

/// Fills \p Made and gives it memory; the lock is held.
CUresult allocate(State &S, CUcontext Context, const CUDA_ARRAY3D_DESCRIPTOR &Desc,
                  CUarray_st &Made) {
  Made.Desc = Desc;
  Made.Context = Context;
  Made.ElementBytes = channelBytes(Desc.Format) * Desc.NumChannels;
  Made.RowBytes = Desc.Width * Made.ElementBytes;
  Made.Rows = std::max<size_t>(1, Desc.Height);
  Made.Slices = std::max<size_t>(1, Desc.Depth);
  Made.Memory =
      S.Devices[Context->Device]->Memory.allocate(Made.RowBytes * Made.Rows * Made.Slices);
  if (!Made.Memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  S.Arrays.insert(&Made);
  return CUDA_SUCCESS;
}

void release(State &S, CUarray Array) {
  S.Devices[Array->Context->Device]->Memory.release(Array->Memory);
  S.Arrays.erase(Array);
}

/// The same resource on the live state: arrays must live, linear memory must be the device's.
bool validResource(State &S, const TextureObject &T) {
  const CUDA_RESOURCE_DESC &R = T.Resource;
  switch (R.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    return S.Arrays.count(R.res.array.hArray) != 0;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    return !T.Surface && S.Mipmaps.count(R.res.mipmap.hMipmappedArray) != 0;
  case CU_RESOURCE_TYPE_LINEAR:
    return !T.Surface && findAllocation(S, R.res.linear.devPtr);
  case CU_RESOURCE_TYPE_PITCH2D:
    return !T.Surface && findAllocation(S, R.res.pitch2D.devPtr) && R.res.pitch2D.width &&
           R.res.pitch2D.height &&
           R.res.pitch2D.pitchInBytes %
                   deviceAttribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) ==
               0;
  default:
    return false;
  }
}

} // namespace

size_t channelBytes(CUarray_format Format) {
  switch (Format) {
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

CUresult createArray(CUcontext Context, const CUDA_ARRAY3D_DESCRIPTOR &Desc, CUarray *Out) {
  if (!Out || !validDesc(Desc))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  auto Made = std::make_unique<CUarray_st>();
  if (CUresult R = allocate(S, Context, Desc, *Made))
    return R;
  *Out = Made.release();
  return CUDA_SUCCESS;
}

CUresult destroyArray(CUarray Array) {
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  if (!S.Arrays.count(Array) || Array->PartOfMipmap)
    return CUDA_ERROR_INVALID_HANDLE;
  waitForContext(L, Array->Context);
  release(S, Array);
  delete Array;
  return CUDA_SUCCESS;
}

CUresult describeArray(CUarray Array, CUDA_ARRAY3D_DESCRIPTOR *Out) {
  State &S = state();
  Lock L(S.M);
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!S.Arrays.count(Array))
    return CUDA_ERROR_INVALID_HANDLE;
  *Out = Array->Desc;
  return CUDA_SUCCESS;
}

CUresult arrayBytes(CUarray Array, size_t *Out) {
  State &S = state();
  Lock L(S.M);
  if (!S.Arrays.count(Array))
    return CUDA_ERROR_INVALID_HANDLE;
  *Out = Array->RowBytes * Array->Rows * Array->Slices;
  return CUDA_SUCCESS;
}

size_t elementBytes(CUarray Array) {
  State &S = state();
  Lock L(S.M);
  return S.Arrays.count(Array) ? Array->ElementBytes : 0;
}

CUresult createMipmap(CUcontext Context, const CUDA_ARRAY3D_DESCRIPTOR &Desc, unsigned Levels,
                      CUmipmappedArray *Out) {
  if (!Out || !validDesc(Desc))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  bool Layered = Desc.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
  size_t Largest = std::max({Desc.Width, Desc.Height, Layered ? size_t(1) : Desc.Depth});
  unsigned Most = 1;
  while (Largest >>= 1)
    ++Most;
  auto Mipmap = std::make_unique<CUmipmappedArray_st>();
  Mipmap->Context = Context;
  CUDA_ARRAY3D_DESCRIPTOR Level = Desc;
  auto Halve = [](size_t &Size) { Size = Size ? std::max<size_t>(1, Size / 2) : 0; };
  for (unsigned I = 0; I < std::min(std::max(1u, Levels), Most); ++I) {
    auto Array = std::make_unique<CUarray_st>();
    Array->PartOfMipmap = true;
    if (CUresult R = allocate(S, Context, Level, *Array)) {
      for (auto &Made : Mipmap->Levels)
        release(S, Made.get());
      return R;
    }
    Mipmap->Levels.push_back(std::move(Array));
    Halve(Level.Width);
    Halve(Level.Height);
    if (!Layered)
      Halve(Level.Depth);
  }
  S.Mipmaps.insert(Mipmap.get());
  *Out = Mipmap.release();
  return CUDA_SUCCESS;
}

CUresult destroyMipmap(CUmipmappedArray Mipmap) {
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  if (!S.Mipmaps.count(Mipmap))
    return CUDA_ERROR_INVALID_HANDLE;
  waitForContext(L, Mipmap->Context);
  for (auto &Level : Mipmap->Levels)
    release(S, Level.get());
  S.Mipmaps.erase(Mipmap);
  delete Mipmap;
  return CUDA_SUCCESS;
}

CUresult mipmapLevel(CUmipmappedArray Mipmap, unsigned Level, CUarray *Out) {
  State &S = state();
  Lock L(S.M);
  if (!S.Mipmaps.count(Mipmap))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!Out || Level >= Mipmap->Levels.size())
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Mipmap->Levels[Level].get();
  return CUDA_SUCCESS;
}

CUresult createTexture(const TextureObject &Description, unsigned long long *Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = 0;
  State &S = state();
  Lock L(S.M);
  if (!validResource(S, Description))
    return CUDA_ERROR_INVALID_VALUE;
  *Out = S.nextId();
  textures()[*Out] = Description;
  return CUDA_SUCCESS;
}

CUresult destroyTexture(uint64_t Handle, bool Surface) {
  Lock L(state().M);
  auto Found = textures().find(Handle);
  if (Found == textures().end() || Found->second.Surface != Surface)
    return CUDA_ERROR_INVALID_VALUE;
  textures().erase(Found);
  return CUDA_SUCCESS;
}

CUresult describeTexture(uint64_t Handle, bool Surface, TextureObject *Out) {
  Lock L(state().M);
  auto Found = textures().find(Handle);
  if (Found == textures().end() || Found->second.Surface != Surface)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Found->second;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
