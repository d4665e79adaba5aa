// Physical memory of the first device, and where it is mapped.
// SPDX-License-Identifier: Apache-2.0
#ifndef PHYSICAL_H
#define PHYSICAL_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                                                   \
  if (CUresult status = (call)) {                                                                  \
    printf("%s: %d\n", #call, int(status));                                                        \
    exit(1);                                                                                       \
  }

struct Physical {
  size_t bytes = 0;

  Physical() {
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemCreate(&memory, bytes, &prop, 0));
  }
  CUdeviceptr reserve() const {
    CUdeviceptr address;
    OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    return address;
  }
  void map(CUdeviceptr address) const {
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemMap(address, bytes, 0, memory, 0));
    OK(cuMemSetAccess(address, bytes, &access, 1));
  }
  void release() const { OK(cuMemRelease(memory)); }

private:
  CUmemAllocationProp prop = {};
  CUmemGenericAllocationHandle memory = 0;
};

#endif
