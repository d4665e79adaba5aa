// Allocation and lookup of every kind of memory that CUDA knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Device memory; 0 bytes are refused with CUDA_ERROR_INVALID_VALUE.
CUresult allocateDevice(CUcontext Context, size_t Bytes, CUdeviceptr *Out);
/// Rows of \p Width bytes, \p Height of them, each row starting at a multiple of 512 bytes.
CUresult allocatePitched(CUcontext Context, size_t Width, size_t Height, CUdeviceptr *Out,
                         size_t *Pitch);
CUresult allocateManaged(CUcontext Context, size_t Bytes, unsigned Flags, CUdeviceptr *Out);
CUresult allocatePinned(CUcontext Context, size_t Bytes, unsigned Flags, void **Out);
CUresult registerHost(CUcontext Context, void *Address, size_t Bytes, unsigned Flags);
CUresult unregisterHost(void *Address);
/// cuMemFree: device, pool and managed memory. Waits for the device first.
CUresult freeDevice(CUcontext Context, CUdeviceptr Address);
CUresult freePinned(CUcontext Context, void *Address);
CUresult hostDevicePointer(void *Address, CUdeviceptr *Out);
CUresult hostFlags(void *Address, unsigned *Flags);
CUresult memoryInfo(CUcontext Context, size_t *Free, size_t *Total);

/// Backing memory of a `__device__` variable: zeroed, lives until the context dies.
CUresult allocateSymbol(CUcontext Context, size_t Bytes, bool Managed, CUdeviceptr *Out);
/// An embedded variable, which brings its memory and initial value: registers that memory as
/// CUDA's.
CUresult adoptSymbol(CUcontext Context, void *Storage, size_t Bytes, bool Managed,
                     CUdeviceptr *Out);
/// The executable that brought it is unloaded.
void forgetSymbol(CUdeviceptr Address);

// The functions below need the lock.

/// The allocation that holds \p Address; null when there is none. \p Base: its first byte.
Allocation *findAllocation(State &S, CUdeviceptr Address, CUdeviceptr *Base = nullptr);
/// Whether the address lies in the memory of a simulated device, live or not.
bool inDeviceMemory(const State &S, CUdeviceptr Address);
/// Frees everything that \p Context owns.
void freeAllOf(State &S, CUcontext Context);
/// Returns the memory behind an allocation, no longer in the table, to where it came from.
void releaseMemory(State &S, CUdeviceptr Address, const Allocation &Gone);
/// Adds an allocation; \p Id is filled in.
void addAllocation(State &S, CUdeviceptr Address, Allocation Made);

} // namespace gpuinstr::sim
