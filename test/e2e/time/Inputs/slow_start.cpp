// Calls that take their time, as a driver's do when they first run.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <thread>

static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

template <class F> static F next(F, const char *name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

extern "C" cudaError_t cudaFree(void *pointer) {
  static auto real = next(cudaFree, "cudaFree");
  if (!pointer)
    wait();
  return real(pointer);
}

extern "C" CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  static auto real = next(cuModuleLoadData, "cuModuleLoadData");
  wait();
  return real(module, image);
}
