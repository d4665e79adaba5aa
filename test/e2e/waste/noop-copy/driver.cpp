// A table is written by the driver API, once more for each value that is asked for.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@load via=@table via-function=load count=5 bytes=5MiB
// EXPECT: noop-copy proven function=main line=@load via=@fill via-function=load count=5 bytes=1310720
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../../Inputs/data.h"

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                                                   \
  if (CUresult status = (call)) {                                                                  \
    printf("%s: %d\n", #call, int(status));                                                        \
    exit(1);                                                                                       \
  }

static void load(CUdeviceptr d_table, CUdeviceptr d_mask, const std::vector<float> &table) {
  OK(cuMemcpyHtoD(d_table, table.data(), table.size() * 4)); // @table
  OK(cuMemsetD32(d_mask, 0x01020304, 65536)); // @fill
}

int main() {
  CUdevice device;
  CUcontext context;
  CUdeviceptr d_table, d_mask;
  std::vector<float> table = noise(1 << 18), values(12);
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  OK(cuMemAlloc(&d_table, table.size() * 4));
  OK(cuMemAlloc(&d_mask, 65536 * 4));
  for (int i = 0; i < 6; ++i) {
#ifdef FIXED
    if (i == 0)
#endif
      load(d_table, d_mask, table); // @load
    OK(cuMemcpyDtoH(&values[i], d_table + i * 4, 4));
    OK(cuMemcpyDtoH(&values[6 + i], d_mask + i * 4, 4));
  }
  printf("%08x\n", checksum(values));
  OK(cuMemFree(d_table));
  OK(cuMemFree(d_mask));
  OK(cuDevicePrimaryCtxRelease(device));
}
