// Kernel launches: the one place where a kernel is checked.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Launch.h"

#include "common/DeviceModel.h"
#include "device/kernel/KernelCode.h"
#include "device/kernel/Module.h"
#include "device/stream/Capture.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

CUfunction functionOf(const CUDA_KERNEL_NODE_PARAMS &params) {
  return params.func ? launched(params.func) : toFunction(params.kern);
}

bool within(unsigned value, CUdevice_attribute limit) {
  return value >= 1 && value <= static_cast<unsigned>(deviceAttribute(limit));
}

bool validShape(const CUDA_KERNEL_NODE_PARAMS &p) {
  if (!within(p.gridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) ||
      !within(p.gridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
      !within(p.gridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) ||
      !within(p.blockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
      !within(p.blockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) ||
      !within(p.blockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z))
    return false;
  return p.blockDimX * p.blockDimY * p.blockDimZ <=
         static_cast<unsigned>(deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
}

} // namespace

CUresult checkKernel(State &s, const KernelOp &kernel) {
  const CUDA_KERNEL_NODE_PARAMS &p = kernel.params;
  CUfunction function = functionOf(p);
  if (!function || !s.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!validShape(p))
    return CUDA_ERROR_INVALID_VALUE;
  if (p.sharedMemBytes > static_cast<unsigned>(function->maxDynamicShared))
    return CUDA_ERROR_INVALID_VALUE;
  EmbeddedKernel embedded = embeddedKernel(*function);
  if (embedded.record) {
    uint32_t most = embedded.record->max_threads_per_block;
    if (most && p.blockDimX * p.blockDimY * p.blockDimZ > most)
      return CUDA_ERROR_INVALID_VALUE;
    // Without opting in, static and dynamic shared memory have 48 KiB together.
    if (p.sharedMemBytes + uint64_t(embedded.record->static_shared_bytes) >
        std::max<uint64_t>(deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                           static_cast<uint64_t>(function->maxDynamicShared)))
      return CUDA_ERROR_INVALID_VALUE;
  }
  const auto &c = kernel.cluster;
  if (c[0]) {
    unsigned size = c[0] * c[1] * c[2];
    if (!size || size > 16 || p.gridDimX % c[0] || p.gridDimY % c[1] || p.gridDimZ % c[2])
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (kernel.cooperative) {
    int threads = static_cast<int>(p.blockDimX * p.blockDimY * p.blockDimZ);
    uint64_t resident = uint64_t(blocksPerMultiprocessor(*function, threads, p.sharedMemBytes)) *
                        deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (uint64_t(p.gridDimX) * p.gridDimY * p.gridDimZ > resident)
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return checkRunnable(*function);
}

CUresult launchKernel(CUcontext context, const KernelOp &kernel, CUstream stream) {
  context->output.flush();
  KernelOp checked = kernel;
  checked.params.func = functionOf(kernel.params);
  {
    State &s = state();
    Lock l(s.m);
    if (CUresult r = checkKernel(s, checked)) {
      // A launch that fails breaks the capture it was meant for.
      StreamRef target;
      if (!resolveStream(s, context, stream, target) && target->capture)
        invalidate(*target->capture);
      return r;
    }
  }
  keepArguments(checked);
  return enqueue(context, stream, std::move(checked), /*Wait=*/false);
}

int blocksPerMultiprocessor(const CUfunc_st &function, int threads, size_t dynamicShared) {
  if (threads < 1 || threads > deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
    return 0;
  int warps = (threads + 31) / 32;
  int byThreads =
      deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / (warps * 32);
  int blocks =
      std::min(byThreads, deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  size_t shared =
      dynamicShared + staticSharedBytes(function) +
      static_cast<size_t>(deviceAttribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  size_t capacity = static_cast<size_t>(
      deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  return static_cast<int>(std::min<size_t>(blocks, capacity / shared));
}

} // namespace gpuinstr::sim
