// CUDA arrays, mipmapped arrays, and the texture and surface objects made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

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
CUresult createTexture(const TextureObject &Description, uint64_t *Out);
CUresult destroyTexture(uint64_t Handle, bool Surface);
CUresult describeTexture(uint64_t Handle, bool Surface, TextureObject *Out);

} // namespace gpuinstr::sim
