// Memory pools: cuMemPool*, and the accounting of stream-ordered allocations.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/MemoryPool.h"

#include "device/memory/Allocations.h"
#include "device/stream/Capture.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

/// Pools grow in steps of this many bytes, as the driver's do.
constexpr uint64_t StepBytes = uint64_t(32) << 20;

uint64_t steps(uint64_t bytes) { return (bytes + StepBytes - 1) / StepBytes * StepBytes; }

bool known(State &s, CUmemoryPool pool) { return pool && s.pools.count(pool); }

/// Where a 64-bit attribute is kept; null for the others.
uint64_t *counter(CUmemoryPool pool, CUmemPool_attribute attr) {
  switch (attr) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return &pool->releaseThreshold;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    return &pool->reserved;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return &pool->reservedHigh;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return &pool->used;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return &pool->usedHigh;
  default:
    return nullptr;
  }
}

/// A MemAlloc node: the address is fixed now, the memory is live while the graph says so.
CUresult captureAllocate(State &s, CUstream_st &stream, size_t bytes, CUmemoryPool pool,
                         CUdeviceptr *out) {
  CUdeviceptr address = s.devices[pool->device]->memory.allocate(bytes);
  if (!address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {};
  params.poolProps = pool->props;
  params.poolProps.location.id = pool->device;
  params.bytesize = bytes;
  *out = address;
  return capture(stream, AllocOp{std::make_shared<GraphMemory>(address, stream.context, params)});
}

} // namespace

CUmemoryPool makeDefaultPool(State &s, int ordinal) {
  auto *pool = new CUmemPoolHandle_st;
  pool->device = ordinal;
  pool->isDefault = true;
  pool->props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  pool->props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  pool->props.location.id = ordinal;
  s.pools.insert(pool);
  return pool;
}

CUresult createPool(const CUmemPoolProps *props, CUmemoryPool *out) {
  if (!props || !out ||
      (props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED &&
       props->allocType != CU_MEM_ALLOCATION_TYPE_MANAGED))
    return CUDA_ERROR_INVALID_VALUE;
  if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || props->handleTypes)
    return CUDA_ERROR_NOT_SUPPORTED;
  State &s = state();
  Lock l(s.m);
  if (!isDevice(s, props->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  CUmemoryPool pool = makeDefaultPool(s, props->location.id);
  pool->isDefault = false;
  pool->props = *props;
  *out = pool;
  return CUDA_SUCCESS;
}

CUresult destroyPool(CUmemoryPool pool) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, pool) || pool->isDefault)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &dev : s.devices)
    if (dev->currentPool == pool)
      dev->currentPool = dev->defaultPool;
  // Its allocations stay valid until they are freed; the last one deletes it.
  pool->destroyed = true;
  s.pools.erase(pool);
  if (!pool->used)
    delete pool;
  return CUDA_SUCCESS;
}

CUresult trimPool(CUmemoryPool pool, size_t keep) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, pool))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t least = std::max<uint64_t>(steps(pool->used), keep);
  pool->reserved = std::min(pool->reserved, least);
  return CUDA_SUCCESS;
}

CUresult setPoolAttribute(CUmemoryPool pool, CUmemPool_attribute attr, const void *value) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, pool) || !value)
    return CUDA_ERROR_INVALID_VALUE;
  auto flag = pool->ints.find(attr);
  if (flag != pool->ints.end()) {
    flag->second = *static_cast<const int *>(value) != 0;
    return CUDA_SUCCESS;
  }
  uint64_t wanted = *static_cast<const uint64_t *>(value);
  switch (attr) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    pool->releaseThreshold = wanted;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: // Only to zero: starts counting anew.
    if (wanted)
      return CUDA_ERROR_INVALID_VALUE;
    pool->reservedHigh = pool->reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    if (wanted)
      return CUDA_ERROR_INVALID_VALUE;
    pool->usedHigh = pool->used;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult getPoolAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, pool) || !value)
    return CUDA_ERROR_INVALID_VALUE;
  auto flag = pool->ints.find(attr);
  if (flag != pool->ints.end()) {
    *static_cast<int *>(value) = flag->second;
    return CUDA_SUCCESS;
  }
  const uint64_t *counter = ::gpuinstr::sim::counter(pool, attr);
  if (!counter)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<uint64_t *>(value) = *counter;
  return CUDA_SUCCESS;
}

CUresult setPoolAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, pool) || (count && !map))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(s, map[i].location.id))
      return CUDA_ERROR_INVALID_DEVICE;
    if (map[i].location.id == pool->device && map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return CUDA_ERROR_INVALID_DEVICE;
    pool->access[map[i].location.id] = map[i].flags;
  }
  return CUDA_SUCCESS;
}

CUresult getPoolAccess(CUmemoryPool pool, const CUmemLocation *location, CUmemAccess_flags *flags) {
  State &s = state();
  Lock l(s.m);
  if (!known(s, pool) || !location || !flags || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
      !isDevice(s, location->id))
    return CUDA_ERROR_INVALID_VALUE;
  auto found = pool->access.find(location->id);
  if (location->id == pool->device)
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  else
    *flags = found == pool->access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second;
  return CUDA_SUCCESS;
}

CUresult getDefaultPool(int device, CUmemoryPool *pool) {
  State &s = state();
  Lock l(s.m);
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(s, device))
    return CUDA_ERROR_INVALID_DEVICE;
  *pool = s.devices[device]->defaultPool;
  return CUDA_SUCCESS;
}

CUresult getDevicePool(int device, CUmemoryPool *pool) {
  if (CUresult r = getDefaultPool(device, pool))
    return r;
  Lock l(state().m);
  *pool = state().devices[device]->currentPool;
  return CUDA_SUCCESS;
}

CUresult setDevicePool(int device, CUmemoryPool pool) {
  State &s = state();
  Lock l(s.m);
  if (!isDevice(s, device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!known(s, pool) || pool->device != device)
    return CUDA_ERROR_INVALID_VALUE;
  s.devices[device]->currentPool = pool;
  return CUDA_SUCCESS;
}

void poolTook(CUmemoryPool pool, size_t bytes) {
  pool->used += bytes;
  pool->usedHigh = std::max(pool->usedHigh, pool->used);
  pool->reserved = std::max(pool->reserved, steps(pool->used));
  pool->reservedHigh = std::max(pool->reservedHigh, pool->reserved);
}

void poolGaveBack(CUmemoryPool pool, size_t bytes) {
  pool->used -= bytes;
  uint64_t least = std::max(steps(pool->used), pool->releaseThreshold);
  pool->reserved = std::min(pool->reserved, least);
  if (pool->destroyed && !pool->used)
    delete pool;
}

CUresult allocateAsync(CUcontext context, size_t bytes, CUmemoryPool pool, CUstream handle,
                       CUdeviceptr *out) {
  State &s = state();
  Lock l(s.m);
  if (!out || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef stream;
  if (CUresult r = resolveStream(s, context, handle, stream))
    return r;
  if (!pool)
    pool = s.devices[stream->context->device]->currentPool;
  if (!known(s, pool))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  if (stream->capture)
    return captureAllocate(s, *stream, bytes, pool, out);
  if (pool->props.maxSize && pool->used + bytes > pool->props.maxSize)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr address = s.devices[pool->device]->memory.allocate(bytes);
  if (!address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation made;
  made.kind = AllocKind::Pool;
  made.size = bytes;
  made.context = stream->context;
  made.device = pool->device;
  made.pool = pool;
  addAllocation(s, address, std::move(made));
  poolTook(pool, bytes);
  *out = address;
  return CUDA_SUCCESS;
}

CUresult freeAsync(CUcontext context, CUdeviceptr address, CUstream handle) {
  State &s = state();
  Lock l(s.m);
  StreamRef stream;
  if (CUresult r = resolveStream(s, context, handle, stream))
    return r;
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  if (stream->capture)
    return address ? capture(*stream, FreeOp{address, nullptr}) : CUDA_ERROR_INVALID_VALUE;
  if (!address)
    return CUDA_SUCCESS;
  auto found = s.allocations.find(address);
  if (found == s.allocations.end() ||
      (found->second.kind != AllocKind::Pool && found->second.kind != AllocKind::Device))
    return CUDA_ERROR_INVALID_VALUE;
  auto gone = std::make_shared<Allocation>(std::move(found->second));
  s.allocations.erase(found);
  submit(l, stream, FreeOp{address, std::move(gone)});
  return CUDA_SUCCESS;
}

void publishGraphMemory(State &s, const std::shared_ptr<GraphMemory> &memory) {
  if (s.allocations.count(memory->address))
    return;
  Allocation made;
  made.kind = AllocKind::Pool;
  made.size = memory->params.bytesize;
  made.context = memory->context;
  made.device = memory->params.poolProps.location.id;
  made.pool = s.devices[made.device]->defaultPool;
  made.graph = memory;
  addAllocation(s, memory->address, std::move(made));
}

void finishFree(const FreeOp &free) {
  State &s = state();
  Lock l(s.m);
  if (free.gone)
    releaseMemory(s, free.address, *free.gone);
  else
    s.allocations.erase(free.address);
}

} // namespace gpuinstr::sim
