// Modules, libraries, functions; launches and occupancy.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Module.h"

#include "api/Call.h"
#include "common/DeviceModel.h"
#include "device/kernel/KernelCode.h"
#include "device/kernel/Launch.h"

using namespace gpuinstr::sim;

namespace {

KernelOp kernelOp(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, void **params, void **extra) {
  KernelOp kernel;
  kernel.params = {launched(f), gx, gy, gz, bx, by, bz, shared, params, extra, nullptr, nullptr};
  return kernel;
}

/// The kernel handle itself is checked, so that a wild one is an error and no crash.
template <typename F> CUresult functionCall(const char *name, CUfunction function, F &&body) {
  return driverCall(name,
                    [&] { return isFunction(function) ? body() : CUDA_ERROR_INVALID_HANDLE; });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuModuleLoadData(CUmodule *out, const void *image) {
  return contextCall(__func__, [&](CUcontext c) { return loadModule(c, image, out); });
}
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned, CUjit_option *,
                                    void **) {
  return contextCall(__func__, [&](CUcontext c) { return loadModule(c, image, out); });
}
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *out, const void *image) {
  return contextCall(__func__, [&](CUcontext c) { return loadModule(c, image, out); });
}
CUresult CUDAAPI cuModuleLoad(CUmodule *out, const char *path) {
  return contextCall(__func__, [&](CUcontext c) { return loadModuleFile(c, path, out); });
}
CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  return contextCall(__func__, [&](CUcontext) { return unloadModule(module); });
}
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *out) {
  return driverCall(__func__, [&] { return store(CU_MODULE_LAZY_LOADING, out); });
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
  return contextCall(__func__, [&](CUcontext) { return getFunction(module, name, out); });
}
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule module,
                                   const char *name) {
  return contextCall(__func__, [&](CUcontext c) { return getGlobal(c, module, name, out, bytes); });
}
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned *out, CUmodule module) {
  return driverCall(__func__, [&] { return functionCount(module, out); });
}
CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *out, unsigned count, CUmodule module) {
  return driverCall(__func__, [&] { return enumerateFunctions(module, count, out); });
}

CUresult CUDAAPI cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *, void **,
                                   unsigned, CUlibraryOption *, void **, unsigned) {
  return driverCall(__func__, [&] {
    CUmodule module = nullptr;
    CUresult r = out ? loadModule(nullptr, image, &module) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
      *out = toLibrary(module);
    return r;
  });
}
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *, void **,
                                       unsigned, CUlibraryOption *, void **, unsigned) {
  return driverCall(__func__, [&] {
    CUmodule module = nullptr;
    CUresult r = out ? loadModuleFile(nullptr, path, &module) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
      *out = toLibrary(module);
    return r;
  });
}
CUresult CUDAAPI cuLibraryUnload(CUlibrary library) {
  return driverCall(__func__, [&] { return unloadModule(toModule(library)); });
}
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name) {
  return driverCall(__func__, [&] {
    CUfunction function = nullptr;
    CUresult r = out ? getFunction(toModule(library), name, &function) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
      *out = toKernel(function);
    return r;
  });
}
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *out, size_t *bytes, CUlibrary library,
                                    const char *name) {
  return contextCall(
      __func__, [&](CUcontext c) { return getGlobal(c, toModule(library), name, out, bytes); });
}
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned *out, CUlibrary library) {
  return driverCall(__func__, [&] { return functionCount(toModule(library), out); });
}
CUresult CUDAAPI cuLibraryGetModule(CUmodule *out, CUlibrary library) {
  return driverCall(__func__, [&] {
    if (!out || !isModule(toModule(library)))
      return CUDA_ERROR_INVALID_VALUE;
    *out = toModule(library);
    return CUDA_SUCCESS;
  });
}
CUresult CUDAAPI cuKernelGetFunction(CUfunction *out, CUkernel kernel) {
  return functionCall(__func__, toFunction(kernel), [&] { return store(toFunction(kernel), out); });
}
CUresult CUDAAPI cuKernelGetName(const char **out, CUkernel kernel) {
  return functionCall(__func__, toFunction(kernel),
                      [&] { return store(toFunction(kernel)->name.c_str(), out); });
}
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *out, CUkernel kernel) {
  return functionCall(__func__, toFunction(kernel),
                      [&] { return store(toLibrary(toFunction(kernel)->module), out); });
}
CUresult CUDAAPI cuKernelGetAttribute(int *out, CUfunction_attribute attr, CUkernel kernel,
                                      CUdevice) {
  return driverCall(__func__, [&] { return functionAttribute(toFunction(kernel), attr, out); });
}
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute attr, int value, CUkernel kernel,
                                      CUdevice) {
  return driverCall(__func__,
                    [&] { return setFunctionAttribute(toFunction(kernel), attr, value); });
}
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice) {
  return functionCall(__func__, toFunction(kernel), [&] { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuFuncGetAttribute(int *out, CUfunction_attribute attr, CUfunction f) {
  return driverCall(__func__, [&] { return functionAttribute(launched(f), attr, out); });
}
CUresult CUDAAPI cuFuncSetAttribute(CUfunction f, CUfunction_attribute attr, int value) {
  return driverCall(__func__, [&] { return setFunctionAttribute(launched(f), attr, value); });
}
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction f, CUfunc_cache) {
  return functionCall(__func__, launched(f), [&] { return CUDA_SUCCESS; });
}
CUresult CUDAAPI cuFuncGetModule(CUmodule *out, CUfunction f) {
  return functionCall(__func__, launched(f), [&] { return store(launched(f)->module, out); });
}
CUresult CUDAAPI cuFuncGetName(const char **out, CUfunction f) {
  return functionCall(__func__, f, [&] { return store(f->name.c_str(), out); });
}
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *bytes) {
  return functionCall(__func__, f, [&] { return parameterInfo(*f, index, offset, bytes); });
}
CUresult CUDAAPI cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                                      size_t *bytes) {
  return functionCall(__func__, toFunction(kernel),
                      [&] { return parameterInfo(*toFunction(kernel), index, offset, bytes); });
}
CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *out, CUfunction f) {
  return functionCall(__func__, launched(f),
                      [&] { return store(CU_FUNCTION_LOADING_STATE_LOADED, out); });
}
CUresult CUDAAPI cuFuncLoad(CUfunction f) {
  return functionCall(__func__, launched(f), [&] { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                void **params, void **extra) {
  return contextCall(__func__, [&](CUcontext c) {
    return launchKernel(c, kernelOp(f, gx, gy, gz, bx, by, bz, shared, params, extra), stream);
  });
}
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                           unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                           CUstream stream, void **params) {
  return contextCall(__func__, [&](CUcontext c) {
    KernelOp kernel = kernelOp(f, gx, gy, gz, bx, by, bz, shared, params, nullptr);
    kernel.cooperative = true;
    return launchKernel(c, kernel, stream);
  });
}
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params,
                                  void **extra) {
  return contextCall(__func__, [&](CUcontext c) {
    if (!config || (config->numAttrs && !config->attrs))
      return CUDA_ERROR_INVALID_VALUE;
    KernelOp kernel =
        kernelOp(f, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                 config->blockDimY, config->blockDimZ, config->sharedMemBytes, params, extra);
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const CUlaunchAttributeValue &value = config->attrs[i].value;
      if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        kernel.cooperative = value.cooperative != 0;
      if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        kernel.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    }
    return launchKernel(c, kernel, config->hStream);
  });
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int threads,
                                                             size_t shared) {
  f = launched(f);
  return functionCall(__func__, f, [&] {
    if (!out || threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    *out = blocksPerMultiprocessor(*f, threads, shared);
    return CUDA_SUCCESS;
  });
}
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, CUfunction f,
                                                                      int threads, size_t shared,
                                                                      unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(out, f, threads, shared);
}
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                                  CUoccupancyB2DSize sharedOf, size_t shared,
                                                  int limit) {
  f = launched(f);
  return functionCall(__func__, f, [&] {
    if (!grid || !block)
      return CUDA_ERROR_INVALID_VALUE;
    int most = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    *block = limit > 0 && limit < most ? limit : most;
    size_t dynamic = sharedOf ? sharedOf(*block) : shared;
    *grid = blocksPerMultiprocessor(*f, *block, dynamic) *
            deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
  });
}
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                           CUoccupancyB2DSize sharedOf,
                                                           size_t shared, int limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, f, sharedOf, shared, limit);
}

} // extern "C"
