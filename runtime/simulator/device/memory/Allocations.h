// Allocation and lookup of every kind of memory that CUDA knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Device memory; 0 bytes are refused with CUDA_ERROR_INVALID_VALUE.
CUresult allocateDevice(CUcontext context, size_t bytes, CUdeviceptr *out);
/// Rows of \p width bytes, \p height of them, each row starting at a multiple of 512 bytes.
CUresult allocatePitched(CUcontext context, size_t width, size_t height, CUdeviceptr *out,
                         size_t *pitch);
CUresult allocateManaged(CUcontext context, size_t bytes, unsigned flags, CUdeviceptr *out);
CUresult allocatePinned(CUcontext context, size_t bytes, unsigned flags, void **out);
CUresult registerHost(CUcontext context, void *address, size_t bytes, unsigned flags);
CUresult unregisterHost(void *address);
/// cuMemFree: device, pool and managed memory. Waits for the device first.
CUresult freeDevice(CUcontext context, CUdeviceptr address);
CUresult freePinned(CUcontext context, void *address);
CUresult hostDevicePointer(void *address, CUdeviceptr *out);
CUresult hostFlags(void *address, unsigned *flags);
CUresult memoryInfo(CUcontext context, size_t *free, size_t *total);

/// Backing memory of a `__device__` variable: zeroed, lives until the context dies.
CUresult allocateSymbol(CUcontext context, size_t bytes, bool managed, CUdeviceptr *out);
/// An embedded variable, which brings its memory and initial value: registers that memory as
/// CUDA's.
CUresult adoptSymbol(CUcontext context, void *storage, size_t bytes, bool managed,
                     CUdeviceptr *out);
/// The executable that brought it is unloaded.
void forgetSymbol(CUdeviceptr address);

// The functions below need the lock.

/// The allocation that holds \p address; null when there is none. \p base: its first byte.
Allocation *findAllocation(State &s, CUdeviceptr address, CUdeviceptr *base = nullptr);
/// Whether the address lies in the memory of a simulated device, live or not.
bool inDeviceMemory(const State &s, CUdeviceptr address);
/// Frees everything that \p context owns.
void freeAllOf(State &s, CUcontext context);
/// Returns the memory behind an allocation, no longer in the table, to where it came from.
void releaseMemory(State &s, CUdeviceptr address, const Allocation &gone);
/// Adds an allocation; \p id is filled in.
void addAllocation(State &s, CUdeviceptr address, Allocation made);

} // namespace gpuinstr::sim
