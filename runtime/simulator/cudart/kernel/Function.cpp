// Queries about kernels: attributes, names, occupancy; loadable libraries.
// SPDX-License-Identifier: Apache-2.0
#include "common/DeviceModel.h"
#include "cudart/kernel/Registry.h"
#include "device/kernel/Launch.h"
#include "device/kernel/Module.h"

using namespace gpuinstr::sim;

namespace {

/// A call about the kernel behind \p symbol, which \p body gets.
template <typename F> cudaError_t functionCall(const char *name, const void *symbol, F &&body) {
  return deviceCall(name, [&](CUcontext) -> cudaError_t {
    CUfunction function = findFunction(symbol);
    if (!function)
      return symbol ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    return toError(body(function));
  });
}

int attribute(CUfunction function, CUfunction_attribute attribute) {
  int value = 0;
  functionAttribute(function, attribute, &value);
  return value;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes *out, const void *symbol) {
  return functionCall(__func__, symbol, [&](CUfunction f) {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = {};
    out->maxThreadsPerBlock = attribute(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    out->sharedSizeBytes = static_cast<size_t>(attribute(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    out->numRegs = attribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS);
    out->ptxVersion = attribute(f, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    out->binaryVersion = attribute(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    out->maxDynamicSharedSizeBytes = attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    out->preferredShmemCarveout = attribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *symbol, cudaFuncAttribute attr, int value) {
  return functionCall(__func__, symbol, [&](CUfunction f) {
    return setFunctionAttribute(f, static_cast<CUfunction_attribute>(attr), value);
  });
}

cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void *symbol, cudaFuncCache) {
  return functionCall(__func__, symbol, [&](CUfunction) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaFuncSetSharedMemConfig(const void *symbol, cudaSharedMemConfig) {
  return functionCall(__func__, symbol, [&](CUfunction) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaFuncGetName(const char **out, const void *symbol) {
  return functionCall(__func__, symbol, [&](CUfunction f) { return store(f->name.c_str(), out); });
}

cudaError_t CUDARTAPI cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol) {
  return functionCall(__func__, symbol, [&](CUfunction f) { return store(f, out); });
}

cudaError_t CUDARTAPI cudaGetKernel(cudaKernel_t *out, const void *symbol) {
  return functionCall(__func__, symbol, [&](CUfunction f) { return store(toKernel(f), out); });
}

cudaError_t CUDARTAPI cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr,
                                                      int value, int ordinal) {
  return functionCall(__func__, kernel, [&](CUfunction f) {
    if (!isDevice(state(), ordinal))
      return CUDA_ERROR_INVALID_DEVICE;
    return setFunctionAttribute(f, static_cast<CUfunction_attribute>(attr), value);
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *symbol,
                                                                    int threads, size_t shared) {
  return functionCall(__func__, symbol, [&](CUfunction f) {
    if (!out || threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    *out = blocksPerMultiprocessor(*f, threads, shared);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *symbol, int threads, size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, symbol, threads, shared);
}

cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *symbol,
                                                                int blocks, int threads) {
  return functionCall(__func__, symbol, [&](CUfunction) {
    if (!out || blocks < 1 || threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    size_t all = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    size_t own = deviceAttribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    size_t each = all / static_cast<size_t>(blocks);
    *out = each > own ? each - own : 0;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxPotentialClusterSize(int *out, const void *symbol,
                                                           const cudaLaunchConfig_t *config) {
  return functionCall(__func__, symbol, [&](CUfunction) {
    if (!out || !config)
      return CUDA_ERROR_INVALID_VALUE;
    *out = 8; // The portable cluster size.
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int *out, const void *symbol,
                                                     const cudaLaunchConfig_t *config) {
  return functionCall(__func__, symbol, [&](CUfunction f) {
    if (!out || !config)
      return CUDA_ERROR_INVALID_VALUE;
    int threads = static_cast<int>(config->blockDim.x * config->blockDim.y * config->blockDim.z);
    unsigned size = 1;
    for (unsigned i = 0; i < config->numAttrs; ++i)
      if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
        size = config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
               config->attrs[i].val.clusterDim.z;
    if (!size)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *out = blocksPerMultiprocessor(*f, threads, config->dynamicSmemBytes) *
           deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) / static_cast<int>(size);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaLibraryLoadData(cudaLibrary_t *out, const void *image, cudaJitOption *,
                                          void **, unsigned, cudaLibraryOption *, void **,
                                          unsigned) {
  return deviceCall(__func__, [&](CUcontext) {
    CUmodule module = nullptr;
    CUresult r = out ? loadModule(nullptr, image, &module) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
      *out = toLibrary(module);
    return r;
  });
}

cudaError_t CUDARTAPI cudaLibraryUnload(cudaLibrary_t library) {
  return deviceCall(__func__, [&](CUcontext) { return unloadModule(toModule(library)); });
}

cudaError_t CUDARTAPI cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library,
                                           const char *name) {
  return deviceCall(__func__, [&](CUcontext) {
    return getFunction(toModule(library), name, reinterpret_cast<CUfunction *>(out));
  });
}

cudaError_t CUDARTAPI cudaLibraryGetKernelCount(unsigned *out, cudaLibrary_t library) {
  return deviceCall(__func__, [&](CUcontext) { return functionCount(toModule(library), out); });
}

cudaError_t CUDARTAPI cudaLibraryEnumerateKernels(cudaKernel_t *out, unsigned count,
                                                  cudaLibrary_t library) {
  return deviceCall(__func__, [&](CUcontext) {
    return enumerateFunctions(toModule(library), count, reinterpret_cast<CUfunction *>(out));
  });
}

} // extern "C"
