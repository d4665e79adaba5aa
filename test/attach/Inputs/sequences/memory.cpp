// Programs that allocate, copy and set.
// SPDX-License-Identifier: Apache-2.0
#include "programs.h"

static void allocations() {
  prepare();
  finish();
}

static void allocationFails() {
  cuMemAlloc(&a, size_t(1) << 31 << 14);
  cuMemAlloc(&a, 0);
  cuMemAlloc(nullptr, Bytes);
  cuMemAlloc(&a, Bytes);
  cuMemFree(a);
}

static void wrongFrees() {
  cuMemFree(0);
  cuMemFree(CUdeviceptr(host));
  cuMemAlloc(&a, Bytes);
  cuMemFree(a);
}

static void blockingCopies() {
  prepare();
  cuMemcpyHtoD(a, host, Bytes);
  cuMemcpyDtoD(b, a, Bytes);
  cuMemcpyDtoH(other, b, Bytes);
  cuMemcpyHtoD(a + 128, host, 256);
  finish();
}

static void asynchronousCopies() {
  prepare();
  cuMemcpyHtoDAsync(a, host, Bytes, stream);
  cuMemcpyDtoDAsync(b, a, Bytes, stream);
  cuMemcpyDtoHAsync(other, b, Bytes, stream);
  finish();
}

static void unifiedCopies() {
  prepare();
  cuMemcpy(a, CUdeviceptr(host), Bytes);
  cuMemcpy(b, a, Bytes);
  cuMemcpyAsync(CUdeviceptr(other), b, Bytes, stream);
  finish();
}

static void copyOfNothing() {
  prepare();
  cuMemcpyHtoD(a, host, 0);
  cuMemcpyDtoDAsync(b, a, 0, stream);
  cuMemsetD8(a, 1, 0);
  finish();
}

static void wrongCopies() {
  prepare();
  cuMemcpyHtoD(0, host, Bytes);
  cuMemcpyDtoH(nullptr, a, Bytes);
  finish();
}

static void sets() {
  prepare();
  cuMemsetD8(a, 1, Bytes);
  cuMemsetD16(a, 2, Bytes / 2);
  cuMemsetD32(a, 3, Bytes / 4);
  finish();
}

static void asynchronousSets() {
  prepare();
  cuMemsetD8Async(a, 1, Bytes, stream);
  cuMemsetD16Async(b, 2, Bytes / 2, stream);
  cuMemsetD32Async(c, 3, Bytes / 4, stream);
  finish();
}

static void setsInTwoDimensions() {
  prepare();
  cuMemsetD2D8(a, 512, 1, 128, 8);
  cuMemsetD2D16(b, 512, 2, 64, 8);
  cuMemsetD2D32(c, 512, 3, 32, 8);
  cuMemsetD2D8Async(a, 512, 1, 128, 8, stream);
  cuMemsetD2D16Async(b, 512, 2, 64, 8, stream);
  cuMemsetD2D32Async(c, 512, 3, 32, 8, stream);
  finish();
}

static void pitchedMemory() {
  static CUdeviceptr rows;
  static size_t pitch;
  static CUDA_MEMCPY2D copy;
  cuMemAllocPitch(&rows, &pitch, 512, 8, 4);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 512;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = rows;
  copy.dstPitch = pitch;
  copy.WidthInBytes = 512;
  copy.Height = 8;
  cuMemcpy2D(&copy);
  cuMemcpy2DUnaligned(&copy);
  cuMemcpy2DAsync(&copy, nullptr);
  cuCtxSynchronize();
  cuMemFree(rows);
}

static void threeDimensions() {
  static CUDA_MEMCPY3D copy;
  prepare();
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 64;
  copy.srcHeight = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = a;
  copy.dstPitch = 64;
  copy.dstHeight = 8;
  copy.WidthInBytes = 64;
  copy.Height = 8;
  copy.Depth = 4;
  cuMemcpy3D(&copy);
  cuMemcpy3DAsync(&copy, stream);
  finish();
}

static void pinnedMemory() {
  static void *pinned, *mapped;
  static CUdeviceptr device;
  cuMemAllocHost(&pinned, Bytes);
  cuMemHostAlloc(&mapped, Bytes, CU_MEMHOSTALLOC_DEVICEMAP);
  cuMemHostGetDevicePointer(&device, mapped, 0);
  prepare();
  cuMemcpyHtoDAsync(a, pinned, Bytes, stream);
  finish();
  cuMemFreeHost(mapped);
  cuMemFreeHost(pinned);
}

alignas(4096) static char page[8192];
static void registeredMemory() {
  prepare();
  cuMemHostRegister(page, sizeof page, 0);
  cuMemHostRegister(page, sizeof page, 0);
  cuMemcpyHtoDAsync(a, page, Bytes, stream);
  cuStreamSynchronize(stream);
  cuMemHostUnregister(page);
  finish();
}

static void managedMemory() {
  static CUdeviceptr managed;
  static CUmemLocation where;
  where.type = CU_MEM_LOCATION_TYPE_DEVICE;
  where.id = 0;
  prepare();
  cuMemAllocManaged(&managed, Bytes, CU_MEM_ATTACH_GLOBAL);
  cuMemAdvise(managed, Bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, where);
  cuMemPrefetchAsync(managed, Bytes, where, 0, stream);
  cuStreamSynchronize(stream);
  cuMemFree(managed);
  finish();
}

static void memoryInStreamOrder() {
  static CUdeviceptr early, late;
  prepare();
  cuMemAllocAsync(&early, Bytes, stream);
  cuMemsetD8Async(early, 1, Bytes, stream);
  cuMemAllocAsync(&late, 2 * Bytes, stream);
  cuMemFreeAsync(early, stream);
  cuMemFreeAsync(late, stream);
  finish();
}

static void memoryPool() {
  static CUmemoryPool pool;
  static CUmemPoolProps properties;
  static CUdeviceptr piece;
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prepare();
  cuMemPoolCreate(&pool, &properties);
  cuMemAllocFromPoolAsync(&piece, Bytes, pool, stream);
  cuMemFreeAsync(piece, stream);
  cuStreamSynchronize(stream);
  cuMemPoolTrimTo(pool, 0);
  cuMemPoolDestroy(pool);
  finish();
}

static void mappedMemory() {
  static CUmemAllocationProp properties;
  static CUmemGenericAllocationHandle handle;
  static CUdeviceptr range;
  static CUmemAccessDesc access;
  static size_t size;
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  size = size_t(2) << 20;
  cuMemAddressReserve(&range, size, 0, 0, 0);
  cuMemCreate(&handle, size, &properties, 0);
  cuMemMap(range, size, 0, handle, 0);
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  cuMemSetAccess(range, size, &access, 1);
  cuMemsetD8(range, 1, Bytes);
  cuMemUnmap(range, size);
  cuMemRelease(handle);
  cuMemAddressFree(range, size);
}

static void arrays() {
  static CUarray array, cube;
  static CUDA_ARRAY_DESCRIPTOR flat;
  static CUDA_ARRAY3D_DESCRIPTOR deep;
  flat.Width = 256;
  flat.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  flat.NumChannels = 1;
  deep.Width = deep.Height = deep.Depth = 8;
  deep.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  deep.NumChannels = 1;
  prepare();
  cuArrayCreate(&array, &flat);
  cuArray3DCreate(&cube, &deep);
  cuMemcpyHtoA(array, 0, host, 256);
  cuMemcpyAtoD(a, array, 0, 256);
  cuMemcpyDtoA(array, 0, a, 128);
  cuMemcpyAtoA(array, 128, array, 0, 64);
  cuMemcpyHtoAAsync(array, 0, host, 256, stream);
  cuMemcpyAtoHAsync(other, array, 0, 256, stream);
  cuMemcpyAtoH(other, array, 0, 256);
  cuArrayDestroy(cube);
  cuArrayDestroy(array);
  finish();
}

static void mipmaps() {
  static CUmipmappedArray array;
  static CUDA_ARRAY3D_DESCRIPTOR shape;
  shape.Width = shape.Height = 8;
  shape.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  shape.NumChannels = 1;
  cuMipmappedArrayCreate(&array, &shape, 2);
  cuMipmappedArrayDestroy(array);
}

static void copiesToPeers() {
  static CUcontext context;
  cuCtxGetCurrent(&context);
  prepare();
  cuMemcpyPeer(a, context, b, context, Bytes);
  cuMemcpyPeerAsync(b, context, a, context, Bytes, stream);
  cuCtxEnablePeerAccess(context, 0);
  finish();
}

static void copiesInBatches() {
  static CUdeviceptr to[2], from[2];
  static size_t sizes[2] = {256, 512};
  static CUmemcpyAttributes attributes;
  static size_t first;
  prepare();
  to[0] = a, to[1] = b, from[0] = c, from[1] = c + 1024;
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, stream);
  finish();
}

const Program MemoryPrograms[] = {{"allocations", allocations},
                                  {"allocation-fails", allocationFails},
                                  {"wrong-frees", wrongFrees},
                                  {"blocking-copies", blockingCopies},
                                  {"asynchronous-copies", asynchronousCopies},
                                  {"unified-copies", unifiedCopies},
                                  {"copy-of-nothing", copyOfNothing},
                                  {"wrong-copies", wrongCopies},
                                  {"sets", sets},
                                  {"asynchronous-sets", asynchronousSets},
                                  {"sets-in-two-dimensions", setsInTwoDimensions},
                                  {"pitched-memory", pitchedMemory},
                                  {"three-dimensions", threeDimensions},
                                  {"pinned-memory", pinnedMemory},
                                  {"registered-memory", registeredMemory},
                                  {"managed-memory", managedMemory},
                                  {"memory-in-stream-order", memoryInStreamOrder},
                                  {"memory-pool", memoryPool},
                                  {"mapped-memory", mappedMemory},
                                  {"arrays", arrays},
                                  {"mipmaps", mipmaps},
                                  {"copies-to-peers", copiesToPeers},
                                  {"copies-in-batches", copiesInBatches},
                                  {nullptr, nullptr}};
