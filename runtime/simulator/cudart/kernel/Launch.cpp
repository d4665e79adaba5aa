// Kernel launches.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Launch.h"

#include "common/DeviceModel.h"
#include "common/PerThread.h"
#include "cudart/kernel/LaunchParams.h"
#include "cudart/kernel/Registry.h"
#include "device/kernel/Module.h"

#include <vector>

using namespace gpuinstr::sim;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  void *stream;
};

std::vector<CallConfiguration> &configurations() {
  return perThread<std::vector<CallConfiguration>>();
}

/// What runtime 13 and driver 580 answer on a device: a grid or block out of range is an invalid
/// value (cudaErrorInvalidConfiguration, which the documentation names, is not used any more), an
/// address that is no kernel an invalid handle.
cudaError_t launch(CUcontext c, const void *symbol, const KernelOp &kernel, cudaStream_t stream) {
  return symbol ? toError(launchKernel(c, kernel, stream)) : cudaErrorInvalidDeviceFunction;
}

/// Adds launch attributes that change what is checked.
void apply(KernelOp &kernel, const cudaLaunchAttribute *attrs, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (attrs[i].id == cudaLaunchAttributeCooperative)
      kernel.cooperative = attrs[i].val.cooperative != 0;
    if (attrs[i].id == cudaLaunchAttributeClusterDimension)
      kernel.cluster = {attrs[i].val.clusterDim.x, attrs[i].val.clusterDim.y,
                        attrs[i].val.clusterDim.z};
  }
}

} // namespace

KernelOp gpuinstr::sim::kernelOp(const void *symbol, dim3 grid, dim3 block, void **args,
                                 size_t shared) {
  KernelOp kernel;
  CUDA_KERNEL_NODE_PARAMS &p = kernel.params;
  p.func = findFunction(symbol);
  p.gridDimX = grid.x;
  p.gridDimY = grid.y;
  p.gridDimZ = grid.z;
  p.blockDimX = block.x;
  p.blockDimY = block.y;
  p.blockDimZ = block.z;
  p.sharedMemBytes = shared > UINT32_MAX ? UINT32_MAX : static_cast<unsigned>(shared);
  p.kernelParams = args;
  return kernel;
}

extern "C" {

unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                               cudaStream_t stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                                 void *stream) {
  auto &stack = configurations();
  if (stack.empty())
    return finish(__func__, cudaErrorMissingConfiguration);
  CallConfiguration top = stack.back();
  stack.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<void **>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **args,
                                       size_t shared, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return launch(c, symbol, kernelOp(symbol, grid, block, args, shared), stream);
  });
}

cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *out, const void *symbol) {
  CUfunction function = findFunction(symbol);
  *out = toKernel(function);
  return function ? cudaSuccess : finish(__func__, cudaErrorInvalidDeviceFunction);
}

cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                         size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *symbol, dim3 grid, dim3 block,
                                                  void **args, size_t shared, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    KernelOp kernel = kernelOp(symbol, grid, block, args, shared);
    kernel.cooperative = true;
    return launch(c, symbol, kernel, stream);
  });
}

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *symbol,
                                          void **args) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!config || (config->numAttrs && !config->attrs))
      return cudaErrorInvalidValue;
    KernelOp kernel =
        kernelOp(symbol, config->gridDim, config->blockDim, args, config->dynamicSmemBytes);
    apply(kernel, config->attrs, config->numAttrs);
    return launch(c, symbol, kernel, config->stream);
  });
}

} // extern "C"
