// Physical memory that is mapped at two addresses: a set through one changes what lies at the other.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: * proven
#include "../../Inputs/check.h"
#include "../../Inputs/data.h"

#include <cuda.h>
#include <cuda_runtime.h>

#define OK(call)                                                                                   \
  if (CUresult status = (call)) {                                                                  \
    printf("%s: %d\n", #call, int(status));                                                        \
    exit(1);                                                                                       \
  }

int main() {
  CHECK(cudaFree(nullptr));
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  size_t bytes = 0;
  OK(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle memory;
  OK(cuMemCreate(&memory, bytes, &prop, 0));
  CUdeviceptr at[2];
  for (CUdeviceptr &address : at) {
    OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    OK(cuMemMap(address, bytes, 0, memory, 0));
    OK(cuMemSetAccess(address, bytes, &access, 1));
  }
  std::vector<float> table = noise(1024), out(60);
  for (int round = 0; round < 60; ++round) {
    OK(cuMemcpyHtoD(at[0], table.data(), 4096));
    if (round >= 30)
      OK(cuMemsetD8(at[1] + round, 7, 100));
    OK(cuMemcpyDtoH(&out[round], at[0] + 4 * round, 4));
  }
  printf("%d\n", out[0] == table[0]);
  for (CUdeviceptr address : at) {
    OK(cuMemUnmap(address, bytes));
    OK(cuMemAddressFree(address, bytes));
  }
  OK(cuMemRelease(memory));
}
