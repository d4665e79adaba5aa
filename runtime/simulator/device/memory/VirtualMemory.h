// Virtual memory management: physical handles, reserved ranges, mappings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// Sizes and addresses must be multiples of this many bytes.
constexpr size_t VmmGranularity = size_t(2) << 20;

CUresult vmmCreate(size_t Bytes, const CUmemAllocationProp *Props,
                   CUmemGenericAllocationHandle *Out);
CUresult vmmRelease(CUmemGenericAllocationHandle Handle);
CUresult vmmReserve(size_t Bytes, size_t Align, CUdeviceptr *Out);
CUresult vmmFreeRange(CUdeviceptr Address, size_t Bytes);
CUresult vmmMap(CUdeviceptr Address, size_t Bytes, size_t Offset,
                CUmemGenericAllocationHandle Handle);
CUresult vmmUnmap(CUdeviceptr Address, size_t Bytes);
CUresult vmmSetAccess(CUdeviceptr Address, size_t Bytes, const CUmemAccessDesc *Descs,
                      size_t Count);
CUresult vmmGetAccess(CUdeviceptr Address, const CUmemLocation *Location,
                      unsigned long long *Flags);
CUresult vmmProperties(CUmemGenericAllocationHandle Handle, CUmemAllocationProp *Out);
/// The handle mapped at an address, with one more reference.
CUresult vmmRetain(CUdeviceptr Address, CUmemGenericAllocationHandle *Out);

} // namespace gpuinstr::sim
