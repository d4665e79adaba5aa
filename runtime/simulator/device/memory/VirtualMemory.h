// Virtual memory management: physical handles, reserved ranges, mappings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Sizes and addresses must be multiples of this many bytes.
constexpr size_t VmmGranularity = size_t(2) << 20;

CUresult vmmCreate(size_t bytes, const CUmemAllocationProp *props,
                   CUmemGenericAllocationHandle *out);
CUresult vmmRelease(CUmemGenericAllocationHandle handle);
CUresult vmmReserve(size_t bytes, size_t align, CUdeviceptr *out);
CUresult vmmFreeRange(CUdeviceptr address, size_t bytes);
CUresult vmmMap(CUdeviceptr address, size_t bytes, size_t offset,
                CUmemGenericAllocationHandle handle);
CUresult vmmUnmap(CUdeviceptr address, size_t bytes);
CUresult vmmSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *descs,
                      size_t count);
CUresult vmmGetAccess(CUdeviceptr address, const CUmemLocation *location,
                      unsigned long long *flags);
CUresult vmmProperties(CUmemGenericAllocationHandle handle, CUmemAllocationProp *out);
/// The handle mapped at an address, with one more reference.
CUresult vmmRetain(CUdeviceptr address, CUmemGenericAllocationHandle *out);

} // namespace gpuinstr::sim
