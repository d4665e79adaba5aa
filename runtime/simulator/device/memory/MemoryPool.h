// Memory pools: cuMemPool*, and the accounting of stream-ordered allocations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Makes the pool a device starts with; the caller holds the lock.
CUmemoryPool makeDefaultPool(State &s, int ordinal);
CUresult createPool(const CUmemPoolProps *props, CUmemoryPool *pool);
CUresult destroyPool(CUmemoryPool pool);
CUresult trimPool(CUmemoryPool pool, size_t keep);
CUresult setPoolAttribute(CUmemoryPool pool, CUmemPool_attribute attr, const void *value);
CUresult getPoolAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);
CUresult setPoolAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count);
CUresult getPoolAccess(CUmemoryPool pool, const CUmemLocation *location, CUmemAccess_flags *flags);
CUresult getDefaultPool(int device, CUmemoryPool *pool);
CUresult getDevicePool(int device, CUmemoryPool *pool);
CUresult setDevicePool(int device, CUmemoryPool pool);

/// \p pool null: the current pool of the stream's device.
CUresult allocateAsync(CUcontext context, size_t bytes, CUmemoryPool pool, CUstream stream,
                       CUdeviceptr *out);
/// The address is dead at once for every check; the memory goes back in stream order.
CUresult freeAsync(CUcontext context, CUdeviceptr address, CUstream stream);

/// Makes the memory of a MemAlloc node known, when its graph is launched. Needs the lock.
void publishGraphMemory(State &s, const std::shared_ptr<GraphMemory> &memory);
/// Execution of a free. Takes the lock.
void finishFree(const FreeOp &free);

/// Bookkeeping when \p bytes enter or leave a pool; the caller holds the lock.
void poolTook(CUmemoryPool pool, size_t bytes);
void poolGaveBack(CUmemoryPool pool, size_t bytes);

} // namespace gpuinstr::sim
