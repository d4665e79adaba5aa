// cuLaunchKernel of a function from a PTX module; a launch that fails is its own result.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// EXPECT-CLEAN
// EXPECT-SITE: kind=launch callee=cuLaunchKernel line=@launch calls=5 failed=0
// EXPECT-SITE: kind=launch callee=cuLaunchKernel line=@invalid calls=1 failed=1
// EXPECT-STDOUT: refused 1
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_CU(call)                                                                             \
  if (CUresult r = (call)) {                                                                       \
    std::printf("%s: %d\n", #call, int(r));                                                        \
    std::exit(1);                                                                                  \
  }

static const char ptx[] = ".version 7.0\n"
                          ".target sm_52\n"
                          ".address_size 64\n"
                          ".visible .entry touch(.param .u64 pointer)\n"
                          "{\n"
                          "  ret;\n"
                          "}\n";

int main() {
  CHECK_CU(cuInit(0));
  CUdevice device;
  CHECK_CU(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK_CU(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_CU(cuCtxSetCurrent(context));
  CUmodule module;
  CHECK_CU(cuModuleLoadData(&module, ptx));
  CUfunction touch;
  CHECK_CU(cuModuleGetFunction(&touch, module, "touch"));
  CUdeviceptr d_data;
  CHECK_CU(cuMemAlloc(&d_data, 4096));
  void *arguments[] = {&d_data};
  for (int i = 0; i < 5; ++i)
    CHECK_CU(cuLaunchKernel(touch, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr)); // @launch
  CUresult refused = cuLaunchKernel(touch, 1, 1, 1, 4096, 1, 1, 0, nullptr, arguments, nullptr); // @invalid
  std::printf("refused %d\n", int(refused));
  CHECK_CU(cuCtxSynchronize());
  CHECK_CU(cuMemFree(d_data));
  CHECK_CU(cuModuleUnload(module));
  return 0;
}
