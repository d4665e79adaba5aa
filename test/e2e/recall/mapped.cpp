// Memory that cuMemMap maps gets the same index before every query.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// FLAGS: -lcuda
// TWIN: FIXED
// EXPECT: noop-copy function=main line=@index count>=8
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda.h>
#include <cuda_runtime.h>

#define OK(call)                                                                                   \
  if (CUresult status = (call)) {                                                                  \
    printf("%s: %d\n", #call, int(status));                                                        \
    exit(1);                                                                                       \
  }

int main() {
  constexpr int Queries = 12;
  CHECK(cudaFree(nullptr));
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  size_t bytes = 0;
  OK(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle memory;
  CUdeviceptr pool;
  OK(cuMemCreate(&memory, bytes, &prop, 0));
  OK(cuMemAddressReserve(&pool, bytes, 0, 0, 0));
  OK(cuMemMap(pool, bytes, 0, memory, 0));
  OK(cuMemSetAccess(pool, bytes, &access, 1));
  std::vector<float> index = noise(1 << 16), out(Queries);
  for (int query = 0; query < Queries; ++query) {
#ifdef FIXED
    if (query == 0)
#endif
      OK(cuMemcpyHtoD(pool, index.data(), index.size() * 4)); // @index
    OK(cuMemcpyDtoH(&out[query], pool + 4 * query, 4));
  }
  printf("%08x\n", checksum(out));
  OK(cuMemUnmap(pool, bytes));
  OK(cuMemAddressFree(pool, bytes));
  OK(cuMemRelease(memory));
}
