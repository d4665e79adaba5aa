// Operands out of frames, and the structs they point to against CUDA's own headers.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/operands/CallOperands.h"
#include "Support.h"
#include "cuda/errors/ErrorNames.h"
#include "cuda/operands/StructLayouts.h"
#include <cstddef>
#include <cuda.h>
#include <driver_types.h>
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::cuda;
using namespace gpuinstr::test;
namespace layout = gpuinstr::cuda;

namespace {

#define SAME(ours, our, theirs, their)                                                             \
  static_assert(offsetof(layout::ours, our) == offsetof(theirs, their))
#define SAME_SIZE(ours, theirs) static_assert(sizeof(layout::ours) == sizeof(theirs))

SAME_SIZE(Extent, cudaExtent);
SAME_SIZE(PitchedPtr, cudaPitchedPtr);
SAME(PitchedPtr, ysize, cudaPitchedPtr, ysize);
SAME_SIZE(Memcpy3DParms, cudaMemcpy3DParms);
SAME(Memcpy3DParms, srcPtr, cudaMemcpy3DParms, srcPtr);
SAME(Memcpy3DParms, dstArray, cudaMemcpy3DParms, dstArray);
SAME(Memcpy3DParms, dstPtr, cudaMemcpy3DParms, dstPtr);
SAME(Memcpy3DParms, extent, cudaMemcpy3DParms, extent);
SAME(Memcpy3DParms, kind, cudaMemcpy3DParms, kind);
SAME(GraphNodeParams, type, cudaGraphNodeParams, type);
SAME(GraphNodeParams, copy.params, cudaGraphNodeParams, memcpy.copyParams);
SAME(GraphNodeParams, child.graph, cudaGraphNodeParams, graph.graph);
SAME_SIZE(Memcpy3DPeerParms, cudaMemcpy3DPeerParms);
SAME(Memcpy3DPeerParms, dstArray, cudaMemcpy3DPeerParms, dstArray);
SAME(Memcpy3DPeerParms, dstPtr, cudaMemcpy3DPeerParms, dstPtr);
SAME(Memcpy3DPeerParms, extent, cudaMemcpy3DPeerParms, extent);
SAME_SIZE(Memcpy2D, CUDA_MEMCPY2D);
SAME(Memcpy2D, src.memoryType, CUDA_MEMCPY2D, srcMemoryType);
SAME(Memcpy2D, src.pitch, CUDA_MEMCPY2D, srcPitch);
SAME(Memcpy2D, dst.xInBytes, CUDA_MEMCPY2D, dstXInBytes);
SAME(Memcpy2D, dst.array, CUDA_MEMCPY2D, dstArray);
SAME(Memcpy2D, widthInBytes, CUDA_MEMCPY2D, WidthInBytes);
SAME_SIZE(Memcpy3D, CUDA_MEMCPY3D);
SAME(Memcpy3D, src.device, CUDA_MEMCPY3D, srcDevice);
SAME(Memcpy3D, src.height, CUDA_MEMCPY3D, srcHeight);
SAME(Memcpy3D, dst.memoryType, CUDA_MEMCPY3D, dstMemoryType);
SAME(Memcpy3D, dst.pitch, CUDA_MEMCPY3D, dstPitch);
SAME(Memcpy3D, depth, CUDA_MEMCPY3D, Depth);
SAME_SIZE(Memcpy3D, CUDA_MEMCPY3D_PEER);
SAME(Memcpy3D, dst.context, CUDA_MEMCPY3D_PEER, dstContext);
SAME(Memcpy3D, widthInBytes, CUDA_MEMCPY3D_PEER, WidthInBytes);
SAME_SIZE(ChannelFormatDesc, cudaChannelFormatDesc);
SAME(ArrayDescriptor, channels, CUDA_ARRAY_DESCRIPTOR, NumChannels);
SAME(ArrayDescriptor, format, CUDA_ARRAY_DESCRIPTOR, Format);
SAME(Array3DDescriptor, depth, CUDA_ARRAY3D_DESCRIPTOR, Depth);
SAME(Array3DDescriptor, channels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels);
static_assert(int(ErrorMemoryAllocation) == cudaErrorMemoryAllocation);
static_assert(int(ErrorUnloading) == cudaErrorCudartUnloading);
static_assert(int(ErrorUnloading) == CUDA_ERROR_DEINITIALIZED);
static_assert(int(ErrorInvalidDevicePointer) == cudaErrorInvalidDevicePointer);
static_assert(int(ErrorInvalidHandle) == cudaErrorInvalidResourceHandle);
static_assert(int(ErrorNotReady) == cudaErrorNotReady);
static_assert(int(ErrorPeerAccessAlreadyEnabled) == cudaErrorPeerAccessAlreadyEnabled);
static_assert(int(ErrorHostMemoryAlreadyRegistered) == cudaErrorHostMemoryAlreadyRegistered);
static_assert(int(ErrorHostMemoryNotRegistered) == cudaErrorHostMemoryNotRegistered);

uint64_t address(const void *p) { return reinterpret_cast<uint64_t>(p); }

struct FrameOf {
  gpuinstr_frame frame = {};
  FrameOf(unsigned op, unsigned detail, unsigned resource = 0) {
    gpuinstr_site *site = makeSite(op, "f", 1, resource);
    site->detail = uint16_t(detail);
    frame.site = site;
  }
  FrameOf &slot(unsigned i, uint64_t value) {
    const_cast<gpuinstr_site *>(frame.site)->slots |= bit(i);
    frame.slot[i] = value;
    return *this;
  }
};

TEST(Decode, SlotsThatTheSiteDoesNotFillAreZero) {
  FrameOf f(GPUINSTR_OP_COPY, 0);
  f.frame.slot[GPUINSTR_SLOT_BYTES] = 77; // left from another site of the function
  EXPECT_EQ(decode(f.frame).bytes, 0u);
}

TEST(Decode, SpansOverflowToTheLargest) {
  Region r;
  r.address = 1;
  r.width = UINT64_MAX;
  r.rows = 3;
  r.pitch = UINT64_MAX / 2;
  EXPECT_EQ(r.span(), UINT64_MAX);
  r.rows = 0;
  EXPECT_EQ(r.span(), 0u);
}

TEST(Decode, PitchedCopy3D) {
  cudaMemcpy3DParms p = {};
  p.srcPtr = cudaPitchedPtr{reinterpret_cast<void *>(0x1000), 512, 100, 10};
  p.dstPtr = cudaPitchedPtr{reinterpret_cast<void *>(0x9000), 256, 100, 20};
  p.dstPos = cudaPos{4, 2, 1};
  p.extent = cudaExtent{100, 10, 3};
  FrameOf f(GPUINSTR_OP_COPY_3D, 0);
  f.slot(GPUINSTR_SLOT_PARAMS, address(&p));
  CallOperands o = decode(f.frame);
  EXPECT_EQ(o.bytes, 3000u);
  EXPECT_EQ(o.src.address, 0x1000u);
  EXPECT_EQ(o.src.span(), 2u * 512 * 10 + 9 * 512 + 100);
  EXPECT_EQ(o.dst.address, 0x9000u + 256 * 20 + 2 * 256 + 4);
  p.dstArray = reinterpret_cast<cudaArray_t>(0x77);
  o = decode(f.frame);
  EXPECT_EQ(o.src.address, 0u) << "elements of an array: their size is not known";
  EXPECT_EQ(o.dst.array, 0x77u);
}

TEST(Decode, DriverCopy2D) {
  CUDA_MEMCPY2D p = {};
  p.srcMemoryType = CU_MEMORYTYPE_HOST;
  p.srcHost = reinterpret_cast<void *>(0x5000);
  p.srcPitch = 64;
  p.srcY = 2;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = 0x8000;
  p.dstPitch = 128;
  p.dstXInBytes = 16;
  p.WidthInBytes = 32;
  p.Height = 4;
  FrameOf f(GPUINSTR_OP_COPY_3D, 2);
  f.slot(GPUINSTR_SLOT_PARAMS, address(&p));
  CallOperands o = decode(f.frame);
  EXPECT_EQ(o.bytes, 128u);
  EXPECT_EQ(o.src.address, 0x5000u + 128);
  EXPECT_EQ(o.dst.address, 0x8000u + 16);
  EXPECT_EQ(o.dst.span(), 3u * 128 + 32);
}

TEST(Decode, Set3D) {
  cudaPitchedPtr ptr = cudaPitchedPtr{reinterpret_cast<void *>(0x4000), 512, 200, 8};
  cudaExtent extent = cudaExtent{200, 8, 2};
  FrameOf f(GPUINSTR_OP_SET_3D, 1);
  f.slot(GPUINSTR_SLOT_DST, address(&ptr)).slot(GPUINSTR_SLOT_PARAMS, address(&extent));
  CallOperands o = decode(f.frame);
  EXPECT_EQ(o.dst.address, 0x4000u);
  EXPECT_EQ(o.bytes, 3200u);
  EXPECT_EQ(o.dst.span(), 512u * 8 + 7 * 512 + 200);
}

TEST(Decode, PitchedAllocationLearnsItsPitch) {
  uint64_t pointer = 0xabc000;
  size_t pitch = 512;
  FrameOf f(GPUINSTR_OP_ALLOC, 0, GPUINSTR_RES_PITCHED);
  f.slot(GPUINSTR_SLOT_DST, address(&pointer))
      .slot(GPUINSTR_SLOT_DPITCH, address(&pitch))
      .slot(GPUINSTR_SLOT_BYTES, 100)
      .slot(GPUINSTR_SLOT_HEIGHT, 10);
  CallOperands o = decode(f.frame);
  EXPECT_EQ(resultOf(o).address, 0xabc000u);
  EXPECT_EQ(resultOf(o).bytes, 5120u);

  cudaPitchedPtr out = cudaPitchedPtr{reinterpret_cast<void *>(0xdef000), 512, 100, 10};
  cudaExtent extent = cudaExtent{100, 10, 4};
  FrameOf g(GPUINSTR_OP_ALLOC, 1, GPUINSTR_RES_PITCHED);
  g.slot(GPUINSTR_SLOT_DST, address(&out)).slot(GPUINSTR_SLOT_ARGS, address(&extent));
  o = decode(g.frame);
  EXPECT_EQ(resultOf(o).address, 0xdef000u);
  EXPECT_EQ(resultOf(o).bytes, 512u * 40);
}

TEST(Decode, ArraysCountElements) {
  cudaChannelFormatDesc desc = {32, 32, 0, 0, cudaChannelFormatKindFloat};
  FrameOf f(GPUINSTR_OP_ALLOC, 0, GPUINSTR_RES_ARRAY);
  f.slot(GPUINSTR_SLOT_DST, address(&desc))
      .slot(GPUINSTR_SLOT_PARAMS, address(&desc))
      .slot(GPUINSTR_SLOT_BYTES, 10)
      .slot(GPUINSTR_SLOT_HEIGHT, 0);
  EXPECT_EQ(decode(f.frame).bytes, 80u);
  CUDA_ARRAY3D_DESCRIPTOR d3 = {};
  d3.Width = 4;
  d3.Height = 5;
  d3.Depth = 6;
  d3.Format = CU_AD_FORMAT_HALF;
  d3.NumChannels = 2;
  FrameOf g(GPUINSTR_OP_ALLOC, 3, GPUINSTR_RES_ARRAY);
  g.slot(GPUINSTR_SLOT_PARAMS, address(&d3));
  EXPECT_EQ(decode(g.frame).bytes, 4u * 5 * 6 * 4);
}

TEST(Decode, BatchesAreLists) {
  uint64_t dst[] = {1, 2}, src[] = {3, 4};
  size_t sizes[] = {10, 20};
  FrameOf f(GPUINSTR_OP_COPY_BATCH, 0);
  f.slot(GPUINSTR_SLOT_DST, address(dst))
      .slot(GPUINSTR_SLOT_SRC, address(src))
      .slot(GPUINSTR_SLOT_PARAMS, address(sizes))
      .slot(GPUINSTR_SLOT_BYTES, 2);
  CallOperands o = decode(f.frame), item;
  EXPECT_EQ(batchCount(o), 2u);
  EXPECT_EQ(o.bytes, 30u);
  ASSERT_TRUE(batchItem(o, 1, item));
  EXPECT_EQ(item.dst.address, 2u);
  EXPECT_EQ(item.src.address, 4u);
  EXPECT_EQ(item.bytes, 20u);
  EXPECT_FALSE(batchItem(o, 2, item));
}

TEST(Decode, SymbolsAreNoAddresses) {
  FrameOf to(GPUINSTR_OP_COPY_SYMBOL, 0), from(GPUINSTR_OP_COPY_SYMBOL, 1);
  for (FrameOf *f : {&to, &from})
    f->slot(GPUINSTR_SLOT_DST, 0x10).slot(GPUINSTR_SLOT_SRC, 0x20).slot(GPUINSTR_SLOT_BYTES, 8);
  EXPECT_EQ(decode(to.frame).dst.address, 0u);
  EXPECT_EQ(decode(to.frame).src.address, 0x20u);
  EXPECT_EQ(decode(from.frame).src.address, 0u);
  EXPECT_EQ(decode(from.frame).bytes, 8u);
}

} // namespace
