// Structs of CUDA's headers that operands point to, as they lie in memory on 64-bit Linux.
// SPDX-License-Identifier: Apache-2.0
//
// Copies, so that the runtime is built without a toolkit and serves CUDA 11 to 13 alike; the tests
// compare every field with the installed headers.
#ifndef GPUINSTR_CUDA_OPERANDS_STRUCTLAYOUTS_H
#define GPUINSTR_CUDA_OPERANDS_STRUCTLAYOUTS_H

#include <cstddef>
#include <cstdint>

namespace gpuinstr::cuda {

struct Extent {
  size_t width, height, depth;
};

struct Pos {
  size_t x, y, z;
};

struct PitchedPtr {
  uint64_t ptr;
  size_t pitch, xsize, ysize;
};

struct Memcpy3DParms {
  uint64_t srcArray;
  Pos srcPos;
  PitchedPtr srcPtr;
  uint64_t dstArray;
  Pos dstPos;
  PitchedPtr dstPtr;
  Extent extent;
  int32_t kind;
};

/// cudaGraphNodeParams of a copy or of a graph within the graph.
struct GraphNodeParams {
  enum Type : int32_t { Kernel, Copy, Set, Host, Graph, Empty };
  Type type;
  int32_t reserved[3];
  union {
    struct {
      int32_t flags, reserved[3];
      Memcpy3DParms params;
    } copy;
    struct {
      uint64_t graph;
      int32_t ownership; ///< 1: moved there, and not cloned
    } child;
  };
};

struct Memcpy3DPeerParms {
  uint64_t srcArray;
  Pos srcPos;
  PitchedPtr srcPtr;
  int32_t srcDevice;
  uint64_t dstArray;
  Pos dstPos;
  PitchedPtr dstPtr;
  int32_t dstDevice;
  Extent extent;
};

enum MemoryType : uint32_t { Host = 1, Device = 2, Array = 3, Unified = 4 };

/// One side of CUDA_MEMCPY2D.
struct Side2D {
  size_t xInBytes, y;
  uint32_t memoryType;
  uint64_t host, device, array;
  size_t pitch;
};

struct Memcpy2D {
  Side2D src, dst;
  size_t widthInBytes, height;
};

/// One side of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER, whose `context` is reserved in the former.
struct Side3D {
  size_t xInBytes, y, z, lod;
  uint32_t memoryType;
  uint64_t host, device, array, context;
  size_t pitch, height;
};

struct Memcpy3D {
  Side3D src, dst;
  size_t widthInBytes, height, depth;
};

struct ChannelFormatDesc {
  int32_t x, y, z, w; ///< bits
  int32_t f;
};

struct ArrayDescriptor {
  size_t width, height;
  uint32_t format, channels;
};

struct Array3DDescriptor {
  size_t width, height, depth;
  uint32_t format, channels, flags;
};

} // namespace gpuinstr::cuda

#endif
