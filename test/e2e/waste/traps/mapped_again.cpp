// Physical memory that is unmapped and mapped at another address: it still holds what was sent.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS[O0]: audit=full
// OPTIONS[O2]: audit=sampled budget=100
// EXPECT-NO: dead-copy
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
  for (CUdeviceptr &address : at)
    OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  auto map = [&](CUdeviceptr address) {
    OK(cuMemMap(address, bytes, 0, memory, 0));
    OK(cuMemSetAccess(address, bytes, &access, 1));
  };
  std::vector<float> table = noise(1024), out(1024);
  int right = 0;
  for (int round = 0; round < 20; ++round) {
    table[0] = float(round);
    map(at[0]);
    OK(cuMemcpyHtoD(at[0], table.data(), 4096));
    OK(cuMemUnmap(at[0], bytes));
    map(at[1]);
    OK(cuMemcpyDtoH(out.data(), at[1], 4096));
    OK(cuMemUnmap(at[1], bytes));
    right += out == table;
  }
  printf("%d\n", right);
  for (CUdeviceptr address : at)
    OK(cuMemAddressFree(address, bytes));
  OK(cuMemRelease(memory));
}
