// Kernel launches.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Launch.h"

#include "common/DeviceModel.h"
#include "cudart/kernel/LaunchParams.h"
#include "cudart/kernel/Registry.h"
#include "device/kernel/Module.h"

#include <vector>

using namespace gpuinstr::sim;

namespace {

struct CallConfiguration {
  dim3 Grid, Block;
  size_t Shared;
  void *Stream;
};

std::vector<CallConfiguration> &configurations() {
  // Leaked with its thread, for the same reason as ThreadState.
  static thread_local auto *Stack = new std::vector<CallConfiguration>;
  return *Stack;
}

/// What runtime 13 and driver 580 answer on a device: a grid or block out of range is an invalid
/// value (cudaErrorInvalidConfiguration, which the documentation names, is not used any more), an
/// address that is no kernel an invalid handle.
cudaError_t launch(CUcontext C, const void *Symbol, const KernelOp &Kernel, cudaStream_t Stream) {
  return Symbol ? toError(launchKernel(C, Kernel, Stream)) : cudaErrorInvalidDeviceFunction;
}

/// Adds launch attributes that change what is checked.
void apply(KernelOp &Kernel, const cudaLaunchAttribute *Attrs, unsigned Count) {
  for (unsigned I = 0; I < Count; ++I) {
    if (Attrs[I].id == cudaLaunchAttributeCooperative)
      Kernel.Cooperative = Attrs[I].val.cooperative != 0;
    if (Attrs[I].id == cudaLaunchAttributeClusterDimension)
      Kernel.Cluster = {Attrs[I].val.clusterDim.x, Attrs[I].val.clusterDim.y,
                        Attrs[I].val.clusterDim.z};
  }
}

} // namespace

KernelOp gpuinstr::sim::kernelOp(const void *Symbol, dim3 Grid, dim3 Block, void **Args,
                                 size_t Shared) {
  KernelOp Kernel;
  CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  P.func = findFunction(Symbol);
  P.gridDimX = Grid.x;
  P.gridDimY = Grid.y;
  P.gridDimZ = Grid.z;
  P.blockDimX = Block.x;
  P.blockDimY = Block.y;
  P.blockDimZ = Block.z;
  P.sharedMemBytes = Shared > UINT32_MAX ? UINT32_MAX : static_cast<unsigned>(Shared);
  P.kernelParams = Args;
  return Kernel;
}

extern "C" {

unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                               cudaStream_t Stream) {
  configurations().push_back({Grid, Block, Shared, Stream});
  return 0;
}

cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                                 void *Stream) {
  auto &Stack = configurations();
  if (Stack.empty())
    return finish(__func__, cudaErrorMissingConfiguration);
  CallConfiguration Top = Stack.back();
  Stack.pop_back();
  *Grid = Top.Grid;
  *Block = Top.Block;
  *Shared = Top.Shared;
  *static_cast<void **>(Stream) = Top.Stream;
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaLaunchKernel(const void *Symbol, dim3 Grid, dim3 Block, void **Args,
                                       size_t Shared, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return launch(C, Symbol, kernelOp(Symbol, Grid, Block, Args, Shared), Stream);
  });
}

cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *Out, const void *Symbol) {
  CUfunction Function = findFunction(Symbol);
  *Out = toKernel(Function);
  return Function ? cudaSuccess : finish(__func__, cudaErrorInvalidDeviceFunction);
}

cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block, void **Args,
                                         size_t Shared, cudaStream_t Stream) {
  return cudaLaunchKernel(Kernel, Grid, Block, Args, Shared, Stream);
}

cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *Symbol, dim3 Grid, dim3 Block,
                                                  void **Args, size_t Shared, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    KernelOp Kernel = kernelOp(Symbol, Grid, Block, Args, Shared);
    Kernel.Cooperative = true;
    return launch(C, Symbol, Kernel, Stream);
  });
}

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *Config, const void *Symbol,
                                          void **Args) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Config || (Config->numAttrs && !Config->attrs))
      return cudaErrorInvalidValue;
    KernelOp Kernel =
        kernelOp(Symbol, Config->gridDim, Config->blockDim, Args, Config->dynamicSmemBytes);
    apply(Kernel, Config->attrs, Config->numAttrs);
    return launch(C, Symbol, Kernel, Config->stream);
  });
}

} // extern "C"
