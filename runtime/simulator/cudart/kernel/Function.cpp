// Queries about kernels: attributes, names, occupancy; loadable libraries.
// SPDX-License-Identifier: Apache-2.0
#include "common/DeviceModel.h"
#include "cudart/kernel/Registry.h"
#include "device/kernel/Launch.h"
#include "device/kernel/Module.h"

using namespace gpuinstr::sim;

namespace {

/// A call about the kernel behind \p Symbol, which \p Body gets.
template <typename F> cudaError_t functionCall(const char *Name, const void *Symbol, F &&Body) {
  return deviceCall(Name, [&](CUcontext) -> cudaError_t {
    CUfunction Function = findFunction(Symbol);
    if (!Function)
      return Symbol ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    return toError(Body(Function));
  });
}

int attribute(CUfunction Function, CUfunction_attribute Attribute) {
  int Value = 0;
  functionAttribute(Function, Attribute, &Value);
  return Value;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes *Out, const void *Symbol) {
  return functionCall(__func__, Symbol, [&](CUfunction F) {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = {};
    Out->maxThreadsPerBlock = attribute(F, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    Out->sharedSizeBytes = static_cast<size_t>(attribute(F, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    Out->numRegs = attribute(F, CU_FUNC_ATTRIBUTE_NUM_REGS);
    Out->ptxVersion = attribute(F, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    Out->binaryVersion = attribute(F, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    Out->maxDynamicSharedSizeBytes = attribute(F, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    Out->preferredShmemCarveout = attribute(F, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *Symbol, cudaFuncAttribute Attr, int Value) {
  return functionCall(__func__, Symbol, [&](CUfunction F) {
    return setFunctionAttribute(F, static_cast<CUfunction_attribute>(Attr), Value);
  });
}

cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void *Symbol, cudaFuncCache) {
  return functionCall(__func__, Symbol, [&](CUfunction) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaFuncSetSharedMemConfig(const void *Symbol, cudaSharedMemConfig) {
  return functionCall(__func__, Symbol, [&](CUfunction) { return CUDA_SUCCESS; });
}

cudaError_t CUDARTAPI cudaFuncGetName(const char **Out, const void *Symbol) {
  return functionCall(__func__, Symbol, [&](CUfunction F) { return store(F->Name.c_str(), Out); });
}

cudaError_t CUDARTAPI cudaGetFuncBySymbol(cudaFunction_t *Out, const void *Symbol) {
  return functionCall(__func__, Symbol, [&](CUfunction F) { return store(F, Out); });
}

cudaError_t CUDARTAPI cudaGetKernel(cudaKernel_t *Out, const void *Symbol) {
  return functionCall(__func__, Symbol, [&](CUfunction F) { return store(toKernel(F), Out); });
}

cudaError_t CUDARTAPI cudaKernelSetAttributeForDevice(cudaKernel_t Kernel, cudaFuncAttribute Attr,
                                                      int Value, int Ordinal) {
  return functionCall(__func__, Kernel, [&](CUfunction F) {
    if (!isDevice(state(), Ordinal))
      return CUDA_ERROR_INVALID_DEVICE;
    return setFunctionAttribute(F, static_cast<CUfunction_attribute>(Attr), Value);
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Out, const void *Symbol,
                                                                    int Threads, size_t Shared) {
  return functionCall(__func__, Symbol, [&](CUfunction F) {
    if (!Out || Threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = blocksPerMultiprocessor(*F, Threads, Shared);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Out, const void *Symbol, int Threads, size_t Shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(Out, Symbol, Threads, Shared);
}

cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Out, const void *Symbol,
                                                                int Blocks, int Threads) {
  return functionCall(__func__, Symbol, [&](CUfunction) {
    if (!Out || Blocks < 1 || Threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    size_t All = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    size_t Own = deviceAttribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    size_t Each = All / static_cast<size_t>(Blocks);
    *Out = Each > Own ? Each - Own : 0;
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxPotentialClusterSize(int *Out, const void *Symbol,
                                                           const cudaLaunchConfig_t *Config) {
  return functionCall(__func__, Symbol, [&](CUfunction) {
    if (!Out || !Config)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = 8; // The portable cluster size.
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int *Out, const void *Symbol,
                                                     const cudaLaunchConfig_t *Config) {
  return functionCall(__func__, Symbol, [&](CUfunction F) {
    if (!Out || !Config)
      return CUDA_ERROR_INVALID_VALUE;
    int Threads = static_cast<int>(Config->blockDim.x * Config->blockDim.y * Config->blockDim.z);
    unsigned Size = 1;
    for (unsigned I = 0; I < Config->numAttrs; ++I)
      if (Config->attrs[I].id == cudaLaunchAttributeClusterDimension)
        Size = Config->attrs[I].val.clusterDim.x * Config->attrs[I].val.clusterDim.y *
               Config->attrs[I].val.clusterDim.z;
    if (!Size)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *Out = blocksPerMultiprocessor(*F, Threads, Config->dynamicSmemBytes) *
           deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) / static_cast<int>(Size);
    return CUDA_SUCCESS;
  });
}

cudaError_t CUDARTAPI cudaLibraryLoadData(cudaLibrary_t *Out, const void *Image, cudaJitOption *,
                                          void **, unsigned, cudaLibraryOption *, void **,
                                          unsigned) {
  return deviceCall(__func__, [&](CUcontext) {
    CUmodule Module = nullptr;
    CUresult R = Out ? loadModule(nullptr, Image, &Module) : CUDA_ERROR_INVALID_VALUE;
    if (!R)
      *Out = toLibrary(Module);
    return R;
  });
}

cudaError_t CUDARTAPI cudaLibraryUnload(cudaLibrary_t Library) {
  return deviceCall(__func__, [&](CUcontext) { return unloadModule(toModule(Library)); });
}

cudaError_t CUDARTAPI cudaLibraryGetKernel(cudaKernel_t *Out, cudaLibrary_t Library,
                                           const char *Name) {
  return deviceCall(__func__, [&](CUcontext) {
    return getFunction(toModule(Library), Name, reinterpret_cast<CUfunction *>(Out));
  });
}

cudaError_t CUDARTAPI cudaLibraryGetKernelCount(unsigned *Out, cudaLibrary_t Library) {
  return deviceCall(__func__, [&](CUcontext) { return functionCount(toModule(Library), Out); });
}

cudaError_t CUDARTAPI cudaLibraryEnumerateKernels(cudaKernel_t *Out, unsigned Count,
                                                  cudaLibrary_t Library) {
  return deviceCall(__func__, [&](CUcontext) {
    return enumerateFunctions(toModule(Library), Count, reinterpret_cast<CUfunction *>(Out));
  });
}

} // extern "C"
