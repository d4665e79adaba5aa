// What the driver knows about an address.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// A copy of what is known about one address.
struct PointerInfo {
  AllocKind Kind = AllocKind::Device;
  CUdeviceptr Base = 0;
  size_t Size = 0;
  int Device = 0;
  unsigned Flags = 0;
};
/// False when the address lies in no allocation.
bool pointerInfo(CUdeviceptr Address, PointerInfo *Out);

CUresult addressRange(CUdeviceptr Address, CUdeviceptr *Base, size_t *Size);
/// CUDA_ERROR_INVALID_VALUE for memory CUDA does not know.
CUresult pointerAttribute(void *Data, CUpointer_attribute Attribute, CUdeviceptr Address);
/// Never fails for an unknown address: the attributes get their documented defaults.
CUresult pointerAttributes(unsigned Count, CUpointer_attribute *Attributes, void **Data,
                           CUdeviceptr Address);
CUresult setPointerAttribute(const void *Value, CUpointer_attribute Attribute, CUdeviceptr Address);
CUresult advise(CUdeviceptr Address, size_t Bytes, CUmem_advise Advice, CUmemLocation Location);
CUresult rangeAttribute(void *Data, size_t DataSize, CUmem_range_attribute Attribute,
                        CUdeviceptr Address, size_t Bytes);
/// Checks a prefetch and records where the range was last sent.
CUresult prefetch(CUcontext Context, CUdeviceptr Address, size_t Bytes, CUmemLocation Location,
                  CUstream Stream);

} // namespace gpuinstr::sim
