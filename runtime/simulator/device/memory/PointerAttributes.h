// What the driver knows about an address.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

/// A copy of what is known about one address.
struct PointerInfo {
  AllocKind kind = AllocKind::Device;
  CUdeviceptr base = 0;
  size_t size = 0;
  int device = 0;
  unsigned flags = 0;
};
/// False when the address lies in no allocation.
bool pointerInfo(CUdeviceptr address, PointerInfo *out);

CUresult addressRange(CUdeviceptr address, CUdeviceptr *base, size_t *size);
/// CUDA_ERROR_INVALID_VALUE for memory CUDA does not know.
CUresult pointerAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address);
/// Never fails for an unknown address: the attributes get their documented defaults.
CUresult pointerAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                           CUdeviceptr address);
CUresult setPointerAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address);
CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location);
CUresult rangeAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                        CUdeviceptr address, size_t bytes);
/// Checks a prefetch and records where the range was last sent.
CUresult prefetch(CUcontext context, CUdeviceptr address, size_t bytes, CUmemLocation location,
                  CUstream stream);

} // namespace gpuinstr::sim
