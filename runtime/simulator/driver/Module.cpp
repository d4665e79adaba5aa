// Modules, libraries, functions; launches and occupancy.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Module.h"

#include "api/Call.h"
#include "common/DeviceModel.h"
#include "device/kernel/Launch.h"

using namespace gpuinstr::sim;

namespace {

KernelOp kernelOp(CUfunction F, unsigned GX, unsigned GY, unsigned GZ, unsigned BX, unsigned BY,
                  unsigned BZ, unsigned Shared, void **Params, void **Extra) {
  KernelOp Kernel;
  Kernel.Params = {F, GX, GY, GZ, BX, BY, BZ, Shared, Params, Extra, nullptr, nullptr};
  return Kernel;
}

/// The kernel handle itself is checked, so that a wild one is an error and no crash.
template <typename F> CUresult functionCall(const char *Name, CUfunction Function, F &&Body) {
  return driverCall(Name,
                    [&] { return isFunction(Function) ? Body() : CUDA_ERROR_INVALID_HANDLE; });
}

} // namespace

extern "C" {

CUresult CUDAAPI cuModuleLoadData(CUmodule *Out, const void *Image) {
  return contextCall(__func__, [&](CUcontext C) { return loadModule(C, Image, Out); });
}
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *Out, const void *Image, unsigned, CUjit_option *,
                                    void **) {
  return contextCall(__func__, [&](CUcontext C) { return loadModule(C, Image, Out); });
}
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *Out, const void *Image) {
  return contextCall(__func__, [&](CUcontext C) { return loadModule(C, Image, Out); });
}
CUresult CUDAAPI cuModuleLoad(CUmodule *Out, const char *Path) {
  return contextCall(__func__, [&](CUcontext C) { return loadModuleFile(C, Path, Out); });
}
CUresult CUDAAPI cuModuleUnload(CUmodule Module) {
  return contextCall(__func__, [&](CUcontext) { return unloadModule(Module); });
}
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *Out) {
  return driverCall(__func__, [&] { return store(CU_MODULE_LAZY_LOADING, Out); });
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *Out, CUmodule Module, const char *Name) {
  return contextCall(__func__, [&](CUcontext) { return getFunction(Module, Name, Out); });
}
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned *Out, CUmodule Module) {
  return driverCall(__func__, [&] { return functionCount(Module, Out); });
}
CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *Out, unsigned Count, CUmodule Module) {
  return driverCall(__func__, [&] { return enumerateFunctions(Module, Count, Out); });
}

CUresult CUDAAPI cuLibraryLoadData(CUlibrary *Out, const void *Image, CUjit_option *, void **,
                                   unsigned, CUlibraryOption *, void **, unsigned) {
  return driverCall(__func__, [&] {
    CUmodule Module = nullptr;
    CUresult R = Out ? loadModule(nullptr, Image, &Module) : CUDA_ERROR_INVALID_VALUE;
    if (!R)
      *Out = toLibrary(Module);
    return R;
  });
}
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *Out, const char *Path, CUjit_option *, void **,
                                       unsigned, CUlibraryOption *, void **, unsigned) {
  return driverCall(__func__, [&] {
    CUmodule Module = nullptr;
    CUresult R = Out ? loadModuleFile(nullptr, Path, &Module) : CUDA_ERROR_INVALID_VALUE;
    if (!R)
      *Out = toLibrary(Module);
    return R;
  });
}
CUresult CUDAAPI cuLibraryUnload(CUlibrary Library) {
  return driverCall(__func__, [&] { return unloadModule(toModule(Library)); });
}
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *Out, CUlibrary Library, const char *Name) {
  return driverCall(__func__, [&] {
    return getFunction(toModule(Library), Name, reinterpret_cast<CUfunction *>(Out));
  });
}
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned *Out, CUlibrary Library) {
  return driverCall(__func__, [&] { return functionCount(toModule(Library), Out); });
}
CUresult CUDAAPI cuLibraryGetModule(CUmodule *Out, CUlibrary Library) {
  return driverCall(__func__, [&] {
    if (!Out || !isModule(toModule(Library)))
      return CUDA_ERROR_INVALID_VALUE;
    *Out = toModule(Library);
    return CUDA_SUCCESS;
  });
}
CUresult CUDAAPI cuKernelGetFunction(CUfunction *Out, CUkernel Kernel) {
  return functionCall(__func__, toFunction(Kernel), [&] { return store(toFunction(Kernel), Out); });
}
CUresult CUDAAPI cuKernelGetName(const char **Out, CUkernel Kernel) {
  return functionCall(__func__, toFunction(Kernel),
                      [&] { return store(toFunction(Kernel)->Name.c_str(), Out); });
}
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *Out, CUkernel Kernel) {
  return functionCall(__func__, toFunction(Kernel),
                      [&] { return store(toLibrary(toFunction(Kernel)->Module), Out); });
}
CUresult CUDAAPI cuKernelGetAttribute(int *Out, CUfunction_attribute Attr, CUkernel Kernel,
                                      CUdevice) {
  return driverCall(__func__, [&] { return functionAttribute(toFunction(Kernel), Attr, Out); });
}
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute Attr, int Value, CUkernel Kernel,
                                      CUdevice) {
  return driverCall(__func__,
                    [&] { return setFunctionAttribute(toFunction(Kernel), Attr, Value); });
}
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel Kernel, CUfunc_cache, CUdevice) {
  return functionCall(__func__, toFunction(Kernel), [&] { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuFuncGetAttribute(int *Out, CUfunction_attribute Attr, CUfunction F) {
  return driverCall(__func__, [&] { return functionAttribute(F, Attr, Out); });
}
CUresult CUDAAPI cuFuncSetAttribute(CUfunction F, CUfunction_attribute Attr, int Value) {
  return driverCall(__func__, [&] { return setFunctionAttribute(F, Attr, Value); });
}
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction F, CUfunc_cache) {
  return functionCall(__func__, F, [&] { return CUDA_SUCCESS; });
}
CUresult CUDAAPI cuFuncGetModule(CUmodule *Out, CUfunction F) {
  return functionCall(__func__, F, [&] { return store(F->Module, Out); });
}
CUresult CUDAAPI cuFuncGetName(const char **Out, CUfunction F) {
  return functionCall(__func__, F, [&] { return store(F->Name.c_str(), Out); });
}
CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *Out, CUfunction F) {
  return functionCall(__func__, F, [&] { return store(CU_FUNCTION_LOADING_STATE_LOADED, Out); });
}
CUresult CUDAAPI cuFuncLoad(CUfunction F) {
  return functionCall(__func__, F, [&] { return CUDA_SUCCESS; });
}

CUresult CUDAAPI cuLaunchKernel(CUfunction F, unsigned GX, unsigned GY, unsigned GZ, unsigned BX,
                                unsigned BY, unsigned BZ, unsigned Shared, CUstream Stream,
                                void **Params, void **Extra) {
  return contextCall(__func__, [&](CUcontext C) {
    return launchKernel(C, kernelOp(F, GX, GY, GZ, BX, BY, BZ, Shared, Params, Extra), Stream);
  });
}
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction F, unsigned GX, unsigned GY, unsigned GZ,
                                           unsigned BX, unsigned BY, unsigned BZ, unsigned Shared,
                                           CUstream Stream, void **Params) {
  return contextCall(__func__, [&](CUcontext C) {
    KernelOp Kernel = kernelOp(F, GX, GY, GZ, BX, BY, BZ, Shared, Params, nullptr);
    Kernel.Cooperative = true;
    return launchKernel(C, Kernel, Stream);
  });
}
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *Config, CUfunction F, void **Params,
                                  void **Extra) {
  return contextCall(__func__, [&](CUcontext C) {
    if (!Config || (Config->numAttrs && !Config->attrs))
      return CUDA_ERROR_INVALID_VALUE;
    KernelOp Kernel =
        kernelOp(F, Config->gridDimX, Config->gridDimY, Config->gridDimZ, Config->blockDimX,
                 Config->blockDimY, Config->blockDimZ, Config->sharedMemBytes, Params, Extra);
    for (unsigned I = 0; I < Config->numAttrs; ++I) {
      const CUlaunchAttributeValue &Value = Config->attrs[I].value;
      if (Config->attrs[I].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        Kernel.Cooperative = Value.cooperative != 0;
      if (Config->attrs[I].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        Kernel.Cluster = {Value.clusterDim.x, Value.clusterDim.y, Value.clusterDim.z};
    }
    return launchKernel(C, Kernel, Config->hStream);
  });
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *Out, CUfunction F, int Threads,
                                                             size_t Shared) {
  return functionCall(__func__, F, [&] {
    if (!Out || Threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    *Out = blocksPerMultiprocessor(*F, Threads, Shared);
    return CUDA_SUCCESS;
  });
}
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Out, CUfunction F,
                                                                      int Threads, size_t Shared,
                                                                      unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(Out, F, Threads, Shared);
}
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *Grid, int *Block, CUfunction F,
                                                  CUoccupancyB2DSize SharedOf, size_t Shared,
                                                  int Limit) {
  return functionCall(__func__, F, [&] {
    if (!Grid || !Block)
      return CUDA_ERROR_INVALID_VALUE;
    int Most = deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    *Block = Limit > 0 && Limit < Most ? Limit : Most;
    size_t Dynamic = SharedOf ? SharedOf(*Block) : Shared;
    *Grid = blocksPerMultiprocessor(*F, *Block, Dynamic) *
            deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
  });
}
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *Grid, int *Block, CUfunction F,
                                                           CUoccupancyB2DSize SharedOf,
                                                           size_t Shared, int Limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(Grid, Block, F, SharedOf, Shared, Limit);
}

} // extern "C"
