// The driver API's results: ignored in one place, used in the other.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// TWIN: FIXED
// EXPECT: ignored-error proven function=main line=@ignored count=1 error=CUDA_ERROR_INVALID_VALUE
// EXPECT-ALL
#include <cuda.h>

#include <cstdio>

int main() {
  CUdevice device;
  CUcontext context;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context))
    return 1;
  CUdeviceptr d_field;
  if (cuMemAlloc(&d_field, 4096) != CUDA_SUCCESS)
    return 2;
#ifndef FIXED
  cuMemsetD32(0, 0, 16); // @ignored
#endif
  CUresult used = cuMemsetD8(0, 0, 16);
  std::printf("used: %d\n", int(used));
  return cuMemFree(d_field) ? 3 : 0;
}
