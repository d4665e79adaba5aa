// CUDA arrays, mipmapped arrays, and the texture and surface objects made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

#include <cstring>

namespace gpuinstr::sim {

/// Bytes of one channel; 0 for formats the simulator does not lay out (block-compressed, planar).
size_t channelBytes(CUarray_format Format);
/// Sizes in elements; Height 0 makes it one-dimensional, Depth 0 two-dimensional.
/// CUDA_ERROR_INVALID_VALUE for descriptors no device takes.
CUresult createArray(CUcontext Context, const CUDA_ARRAY3D_DESCRIPTOR &Desc, CUarray *Out);
CUresult destroyArray(CUarray Array);
CUresult describeArray(CUarray Array, CUDA_ARRAY3D_DESCRIPTOR *Out);
/// Bytes of its backing memory.
CUresult arrayBytes(CUarray Array, size_t *Out);
size_t elementBytes(CUarray Array);

CUresult createMipmap(CUcontext Context, const CUDA_ARRAY3D_DESCRIPTOR &Desc, unsigned Levels,
                      CUmipmappedArray *Out);
CUresult destroyMipmap(CUmipmappedArray Mipmap);
CUresult mipmapLevel(CUmipmappedArray Mipmap, unsigned Level, CUarray *Out);

/// Texture and surface objects keep their descriptions; nothing reads through them yet.
struct TextureObject {
  CUDA_RESOURCE_DESC Resource = {};
  CUDA_TEXTURE_DESC Texture = {};
  CUDA_RESOURCE_VIEW_DESC View = {};
  bool HasView = false;
  bool Surface = false;
};
/// \p Out becomes 0 when it fails.
CUresult createTexture(const TextureObject &Description, unsigned long long *Out);
CUresult destroyTexture(uint64_t Handle, bool Surface);
CUresult describeTexture(uint64_t Handle, bool Surface, TextureObject *Out);

/// Stores in \p Out what \p Read makes of an object.
template <typename T, typename F>
CUresult readTexture(uint64_t Handle, bool Surface, T *Out, F &&Read) {
  TextureObject Found;
  CUresult R = Out ? describeTexture(Handle, Surface, &Found) : CUDA_ERROR_INVALID_VALUE;
  if (!R)
    *Out = Read(Found);
  return R;
}
/// The same for the view, which not every texture has.
template <typename T> CUresult readTextureView(uint64_t Handle, T *Out) {
  static_assert(sizeof(T) <= sizeof(CUDA_RESOURCE_VIEW_DESC), "both APIs place the fields alike");
  TextureObject Found;
  CUresult R = Out ? describeTexture(Handle, false, &Found) : CUDA_ERROR_INVALID_VALUE;
  if (!R && !Found.HasView)
    R = CUDA_ERROR_INVALID_VALUE;
  if (!R)
    std::memcpy(Out, &Found.View, sizeof(*Out));
  return R;
}

} // namespace gpuinstr::sim
