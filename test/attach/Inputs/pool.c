// An allocator that keeps what it got, built to lie where CuPy's lies.
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

CUdeviceptr segment(size_t bytes) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, bytes);
  return memory;
}

/// As XLA's, and PyTorch's where its segments grow.
CUdeviceptr mapped_segment(size_t bytes) {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle memory;
  CUdeviceptr address = 0;
  int failed = cuMemCreate(&memory, bytes, &prop, 0) ||
               cuMemAddressReserve(&address, bytes, 0, 0, 0) ||
               cuMemMap(address, bytes, 0, memory, 0) || cuMemSetAccess(address, bytes, &access, 1);
  return failed ? 0 : address;
}
