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

uint64_t steps(uint64_t Bytes) { return (Bytes + StepBytes - 1) / StepBytes * StepBytes; }

bool known(State &S, CUmemoryPool Pool) { return Pool && S.Pools.count(Pool); }

/// Where a 64-bit attribute is kept; null for the others.
uint64_t *counter(CUmemoryPool Pool, CUmemPool_attribute Attr) {
  switch (Attr) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return &Pool->ReleaseThreshold;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    return &Pool->Reserved;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return &Pool->ReservedHigh;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return &Pool->Used;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return &Pool->UsedHigh;
  default:
    return nullptr;
  }
}

/// A MemAlloc node: the address is fixed now, the memory is live while the graph says so.
CUresult captureAllocate(State &S, CUstream_st &Stream, size_t Bytes, CUmemoryPool Pool,
                         CUdeviceptr *Out) {
  CUdeviceptr Address = S.Devices[Pool->Device]->Memory.allocate(Bytes);
  if (!Address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUDA_MEM_ALLOC_NODE_PARAMS Params = {};
  Params.poolProps = Pool->Props;
  Params.poolProps.location.id = Pool->Device;
  Params.bytesize = Bytes;
  *Out = Address;
  return capture(Stream, AllocOp{std::make_shared<GraphMemory>(Address, Stream.Context, Params)});
}

} // namespace

CUmemoryPool makeDefaultPool(State &S, int Ordinal) {
  auto *Pool = new CUmemPoolHandle_st;
  Pool->Device = Ordinal;
  Pool->IsDefault = true;
  Pool->Props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  Pool->Props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  Pool->Props.location.id = Ordinal;
  S.Pools.insert(Pool);
  return Pool;
}

CUresult createPool(const CUmemPoolProps *Props, CUmemoryPool *Out) {
  if (!Props || !Out || Props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (Props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || Props->handleTypes)
    return CUDA_ERROR_NOT_SUPPORTED;
  State &S = state();
  Lock L(S.M);
  if (!isDevice(S, Props->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  CUmemoryPool Pool = makeDefaultPool(S, Props->location.id);
  Pool->IsDefault = false;
  Pool->Props = *Props;
  *Out = Pool;
  return CUDA_SUCCESS;
}

CUresult destroyPool(CUmemoryPool Pool) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Pool) || Pool->IsDefault)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &Dev : S.Devices)
    if (Dev->CurrentPool == Pool)
      Dev->CurrentPool = Dev->DefaultPool;
  // Its allocations stay valid until they are freed; the last one deletes it.
  Pool->Destroyed = true;
  S.Pools.erase(Pool);
  if (!Pool->Used)
    delete Pool;
  return CUDA_SUCCESS;
}

CUresult trimPool(CUmemoryPool Pool, size_t Keep) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Pool))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t Least = std::max<uint64_t>(steps(Pool->Used), Keep);
  Pool->Reserved = std::min(Pool->Reserved, Least);
  return CUDA_SUCCESS;
}

CUresult setPoolAttribute(CUmemoryPool Pool, CUmemPool_attribute Attr, const void *Value) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Pool) || !Value)
    return CUDA_ERROR_INVALID_VALUE;
  auto Int = Pool->Ints.find(Attr);
  if (Int != Pool->Ints.end()) {
    Int->second = *static_cast<const int *>(Value) != 0;
    return CUDA_SUCCESS;
  }
  uint64_t Wanted = *static_cast<const uint64_t *>(Value);
  switch (Attr) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    Pool->ReleaseThreshold = Wanted;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: // Only to zero: starts counting anew.
    if (Wanted)
      return CUDA_ERROR_INVALID_VALUE;
    Pool->ReservedHigh = Pool->Reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    if (Wanted)
      return CUDA_ERROR_INVALID_VALUE;
    Pool->UsedHigh = Pool->Used;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult getPoolAttribute(CUmemoryPool Pool, CUmemPool_attribute Attr, void *Value) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Pool) || !Value)
    return CUDA_ERROR_INVALID_VALUE;
  auto Int = Pool->Ints.find(Attr);
  if (Int != Pool->Ints.end()) {
    *static_cast<int *>(Value) = Int->second;
    return CUDA_SUCCESS;
  }
  const uint64_t *Counter = counter(Pool, Attr);
  if (!Counter)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<uint64_t *>(Value) = *Counter;
  return CUDA_SUCCESS;
}

CUresult setPoolAccess(CUmemoryPool Pool, const CUmemAccessDesc *Map, size_t Count) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Pool) || (Count && !Map))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I) {
    if (Map[I].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(S, Map[I].location.id))
      return CUDA_ERROR_INVALID_DEVICE;
    if (Map[I].location.id == Pool->Device && Map[I].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return CUDA_ERROR_INVALID_DEVICE;
    Pool->Access[Map[I].location.id] = Map[I].flags;
  }
  return CUDA_SUCCESS;
}

CUresult getPoolAccess(CUmemoryPool Pool, const CUmemLocation *Location, CUmemAccess_flags *Flags) {
  State &S = state();
  Lock L(S.M);
  if (!known(S, Pool) || !Location || !Flags || Location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
      !isDevice(S, Location->id))
    return CUDA_ERROR_INVALID_VALUE;
  auto Found = Pool->Access.find(Location->id);
  if (Location->id == Pool->Device)
    *Flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  else
    *Flags = Found == Pool->Access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : Found->second;
  return CUDA_SUCCESS;
}

CUresult getDefaultPool(int Device, CUmemoryPool *Pool) {
  State &S = state();
  Lock L(S.M);
  if (!Pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(S, Device))
    return CUDA_ERROR_INVALID_DEVICE;
  *Pool = S.Devices[Device]->DefaultPool;
  return CUDA_SUCCESS;
}

CUresult getDevicePool(int Device, CUmemoryPool *Pool) {
  if (CUresult R = getDefaultPool(Device, Pool))
    return R;
  Lock L(state().M);
  *Pool = state().Devices[Device]->CurrentPool;
  return CUDA_SUCCESS;
}

CUresult setDevicePool(int Device, CUmemoryPool Pool) {
  State &S = state();
  Lock L(S.M);
  if (!isDevice(S, Device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!known(S, Pool) || Pool->Device != Device)
    return CUDA_ERROR_INVALID_VALUE;
  S.Devices[Device]->CurrentPool = Pool;
  return CUDA_SUCCESS;
}

void poolTook(CUmemoryPool Pool, size_t Bytes) {
  Pool->Used += Bytes;
  Pool->UsedHigh = std::max(Pool->UsedHigh, Pool->Used);
  Pool->Reserved = std::max(Pool->Reserved, steps(Pool->Used));
  Pool->ReservedHigh = std::max(Pool->ReservedHigh, Pool->Reserved);
}

void poolGaveBack(CUmemoryPool Pool, size_t Bytes) {
  Pool->Used -= Bytes;
  uint64_t Least = std::max(steps(Pool->Used), Pool->ReleaseThreshold);
  Pool->Reserved = std::min(Pool->Reserved, Least);
  if (Pool->Destroyed && !Pool->Used)
    delete Pool;
}

CUresult allocateAsync(CUcontext Context, size_t Bytes, CUmemoryPool Pool, CUstream Handle,
                       CUdeviceptr *Out) {
  State &S = state();
  Lock L(S.M);
  if (!Out || !Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Context, Handle, Stream))
    return R;
  if (!Pool)
    Pool = S.Devices[Stream->Context->Device]->CurrentPool;
  if (!known(S, Pool))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  if (Stream->Capture)
    return captureAllocate(S, *Stream, Bytes, Pool, Out);
  if (Pool->Props.maxSize && Pool->Used + Bytes > Pool->Props.maxSize)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr Address = S.Devices[Pool->Device]->Memory.allocate(Bytes);
  if (!Address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation Made;
  Made.Kind = AllocKind::Pool;
  Made.Size = Bytes;
  Made.Context = Stream->Context;
  Made.Device = Pool->Device;
  Made.Pool = Pool;
  addAllocation(S, Address, std::move(Made));
  poolTook(Pool, Bytes);
  *Out = Address;
  return CUDA_SUCCESS;
}

CUresult freeAsync(CUcontext Context, CUdeviceptr Address, CUstream Handle) {
  State &S = state();
  Lock L(S.M);
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Context, Handle, Stream))
    return R;
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  if (Stream->Capture)
    return Address ? capture(*Stream, FreeOp{Address, nullptr}) : CUDA_ERROR_INVALID_VALUE;
  if (!Address)
    return CUDA_SUCCESS;
  auto Found = S.Allocations.find(Address);
  if (Found == S.Allocations.end() ||
      (Found->second.Kind != AllocKind::Pool && Found->second.Kind != AllocKind::Device))
    return CUDA_ERROR_INVALID_VALUE;
  auto Gone = std::make_shared<Allocation>(std::move(Found->second));
  S.Allocations.erase(Found);
  submit(L, Stream, FreeOp{Address, std::move(Gone)});
  return CUDA_SUCCESS;
}

void publishGraphMemory(State &S, const std::shared_ptr<GraphMemory> &Memory) {
  if (S.Allocations.count(Memory->Address))
    return;
  Allocation Made;
  Made.Kind = AllocKind::Pool;
  Made.Size = Memory->Params.bytesize;
  Made.Context = Memory->Context;
  Made.Device = Memory->Params.poolProps.location.id;
  Made.Pool = S.Devices[Made.Device]->DefaultPool;
  Made.Graph = Memory;
  addAllocation(S, Memory->Address, std::move(Made));
}

void finishFree(const FreeOp &Free) {
  State &S = state();
  Lock L(S.M);
  if (Free.Gone)
    releaseMemory(S, Free.Address, *Free.Gone);
  else
    S.Allocations.erase(Free.Address);
}

} // namespace gpuinstr::sim
