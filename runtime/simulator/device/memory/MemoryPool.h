// Memory pools: cuMemPool*, and the accounting of stream-ordered allocations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Makes the pool a device starts with; the caller holds the lock.
CUmemoryPool makeDefaultPool(State &S, int Ordinal);
CUresult createPool(const CUmemPoolProps *Props, CUmemoryPool *Pool);
CUresult destroyPool(CUmemoryPool Pool);
CUresult trimPool(CUmemoryPool Pool, size_t Keep);
CUresult setPoolAttribute(CUmemoryPool Pool, CUmemPool_attribute Attr, const void *Value);
CUresult getPoolAttribute(CUmemoryPool Pool, CUmemPool_attribute Attr, void *Value);
CUresult setPoolAccess(CUmemoryPool Pool, const CUmemAccessDesc *Map, size_t Count);
CUresult getPoolAccess(CUmemoryPool Pool, const CUmemLocation *Location, CUmemAccess_flags *Flags);
CUresult getDefaultPool(int Device, CUmemoryPool *Pool);
CUresult getDevicePool(int Device, CUmemoryPool *Pool);
CUresult setDevicePool(int Device, CUmemoryPool Pool);

/// \p Pool null: the current pool of the stream's device.
CUresult allocateAsync(CUcontext Context, size_t Bytes, CUmemoryPool Pool, CUstream Stream,
                       CUdeviceptr *Out);
/// The address is dead at once for every check; the memory goes back in stream order.
CUresult freeAsync(CUcontext Context, CUdeviceptr Address, CUstream Stream);

/// Makes the memory of a MemAlloc node known, when its graph is launched. Needs the lock.
void publishGraphMemory(State &S, const std::shared_ptr<GraphMemory> &Memory);
/// Execution of a free. Takes the lock.
void finishFree(const FreeOp &Free);

/// Bookkeeping when \p Bytes enter or leave a pool; the caller holds the lock.
void poolTook(CUmemoryPool Pool, size_t Bytes);
void poolGaveBack(CUmemoryPool Pool, size_t Bytes);

} // namespace gpuinstr::sim
