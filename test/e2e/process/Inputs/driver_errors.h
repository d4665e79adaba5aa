// Errors of the driver API, whose texts are calls as well.
// SPDX-License-Identifier: Apache-2.0
#ifndef DRIVER_ERRORS_H
#define DRIVER_ERRORS_H

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

inline void report(CUresult result) {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  std::printf("%s: %s\n", name, text);
}

inline void check(CUresult result) {
  if (result == CUDA_SUCCESS)
    return;
  report(result);
  std::exit(3);
}

inline void useFirstDevice() {
  check(cuInit(0));
  CUdevice device;
  check(cuDeviceGet(&device, 0));
  CUcontext context;
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxSetCurrent(context));
}

#endif
