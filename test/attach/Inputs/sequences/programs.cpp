// programs NAME: runs one; without a name, lists them.
// SPDX-License-Identifier: Apache-2.0
//
// What they take and give lies in variables of the program, so that addresses come in one order
// wherever it runs.
#include "programs.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>

CUdeviceptr a, b, c;
char host[1 << 16], other[1 << 16];
CUstream stream;
CUevent event;
CUfunction kernel;

static void nothing(const unsigned *, const unsigned *, void **) {}

CUmodule loadModule() {
  using Run = void (*)(const unsigned *, const unsigned *, void **);
  using Define = void (*)(const void *, const char *, Run, unsigned, const size_t *);
  static CUmodule module;
  static const char ptx[] = ".version 8.0\n.target sm_52\n.address_size 64\n"
                            ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 r)\n"
                            "{ ret; }\n";
  static const size_t sizes[] = {8, 8, 8};
  // The simulated device runs no PTX: it takes a function of the host's.
  if (auto define =
          reinterpret_cast<Define>(dlsym(RTLD_DEFAULT, "gpuinstr_simulator_define_kernel")))
    define(nullptr, "k", nothing, 3, sizes);
  int result = cuModuleLoadData(&module, ptx);
  if (!result)
    result = cuModuleGetFunction(&kernel, module, "k");
  if (result)
    std::printf("no kernel: %d\n", result);
  return module;
}

void prepare() {
  cuMemAlloc(&a, Bytes);
  cuMemAlloc(&b, Bytes);
  cuMemAlloc(&c, Bytes);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, CU_EVENT_DEFAULT);
}

void finish() {
  cuStreamSynchronize(stream);
  cuEventDestroy(event);
  cuStreamDestroy(stream);
  cuMemFree(c);
  cuMemFree(b);
  cuMemFree(a);
}

int main(int argc, char **argv) {
  for (const Program *list : {MemoryPrograms, WorkPrograms, GraphPrograms})
    for (const Program *one = list; one->name; ++one)
      if (argc < 2) {
        std::puts(one->name);
      } else if (!std::strcmp(one->name, argv[1])) {
        static CUdevice device;
        static CUcontext context;
        if (int result = cuInit(0))
          return std::printf("cuInit: %d\n", result);
        cuDeviceGet(&device, 0);
        cuDevicePrimaryCtxRetain(&context, device);
        cuCtxSetCurrent(context);
        one->run();
        return 0;
      }
  return argc > 1;
}
