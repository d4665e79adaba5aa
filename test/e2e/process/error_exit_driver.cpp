// The same by the driver API, whose texts of errors are calls as well.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// BUILD: clang-O2
// EXPECT-EXIT: 3
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=error
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

static void report(CUresult result) {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  std::printf("%s: %s\n", name, text);
}

static void check(CUresult result) {
  if (result == CUDA_SUCCESS)
    return;
  report(result);
  std::exit(3);
}

int main() {
  check(cuInit(0));
  CUdevice device;
  check(cuDeviceGet(&device, 0));
  CUcontext context;
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxSetCurrent(context));
  CUdeviceptr field, more;
  check(cuMemAlloc(&field, 1 << 20)); // @alloc
  check(cuMemAlloc(&more, size_t(1) << 50));
}
