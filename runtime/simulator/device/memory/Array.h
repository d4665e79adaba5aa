// CUDA arrays, mipmapped arrays, and the texture and surface objects made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

#include <cstring>

namespace gpuinstr::sim {

/// Bytes of one channel; 0 for formats the simulator does not lay out (block-compressed, planar).
size_t channelBytes(CUarray_format format);
/// Sizes in elements; Height 0 makes it one-dimensional, Depth 0 two-dimensional.
/// CUDA_ERROR_INVALID_VALUE for descriptors no device takes.
CUresult createArray(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR &desc, CUarray *out);
CUresult destroyArray(CUarray array);
CUresult describeArray(CUarray array, CUDA_ARRAY3D_DESCRIPTOR *out);
/// Bytes of its backing memory.
CUresult arrayBytes(CUarray array, size_t *out);
size_t elementBytes(CUarray array);

CUresult createMipmap(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR &desc, unsigned levels,
                      CUmipmappedArray *out);
CUresult destroyMipmap(CUmipmappedArray mipmap);
CUresult mipmapLevel(CUmipmappedArray mipmap, unsigned level, CUarray *out);

/// Texture and surface objects keep their descriptions; nothing reads through them yet.
struct TextureObject {
  CUDA_RESOURCE_DESC resource = {};
  CUDA_TEXTURE_DESC texture = {};
  CUDA_RESOURCE_VIEW_DESC view = {};
  bool hasView = false;
  bool surface = false;
};
/// \p out becomes 0 when it fails.
CUresult createTexture(const TextureObject &description, unsigned long long *out);
CUresult destroyTexture(uint64_t handle, bool surface);
CUresult describeTexture(uint64_t handle, bool surface, TextureObject *out);

/// Stores in \p out what \p read makes of an object.
template <typename T, typename F>
CUresult readTexture(uint64_t handle, bool surface, T *out, F &&read) {
  TextureObject found;
  CUresult r = out ? describeTexture(handle, surface, &found) : CUDA_ERROR_INVALID_VALUE;
  if (!r)
    *out = read(found);
  return r;
}
/// The same for the view, which not every texture has.
template <typename T> CUresult readTextureView(uint64_t handle, T *out) {
  static_assert(sizeof(T) <= sizeof(CUDA_RESOURCE_VIEW_DESC), "both APIs place the fields alike");
  TextureObject found;
  CUresult r = out ? describeTexture(handle, false, &found) : CUDA_ERROR_INVALID_VALUE;
  if (!r && !found.hasView)
    r = CUDA_ERROR_INVALID_VALUE;
  if (!r)
    std::memcpy(out, &found.view, sizeof(*out));
  return r;
}

} // namespace gpuinstr::sim
