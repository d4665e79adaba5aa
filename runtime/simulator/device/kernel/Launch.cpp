// Kernel launches: the one place where a kernel is checked.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/Launch.h"

#include "common/DeviceModel.h"
#include "device/kernel/KernelCode.h"
#include "device/stream/Capture.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

CUfunction functionOf(const CUDA_KERNEL_NODE_PARAMS &Params) {
  // A CUkernel is the address of its function, see Module.h.
  return Params.func ? Params.func : reinterpret_cast<CUfunction>(Params.kern);
}

bool within(unsigned Value, CUdevice_attribute Limit) {
  return Value >= 1 && Value <= static_cast<unsigned>(deviceAttribute(Limit));
}

bool validShape(const CUDA_KERNEL_NODE_PARAMS &P) {
  if (!within(P.gridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) ||
      !within(P.gridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
      !within(P.gridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) ||
      !within(P.blockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
      !within(P.blockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) ||
      !within(P.blockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z))
    return false;
  return P.blockDimX * P.blockDimY * P.blockDimZ <=
         static_cast<unsigned>(deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
}

} // namespace

CUresult checkKernel(State &S, const KernelOp &Kernel) {
  const CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
  CUfunction Function = functionOf(P);
  if (!Function || !S.Functions.count(Function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!validShape(P))
    return CUDA_ERROR_INVALID_VALUE;
  if (P.sharedMemBytes > static_cast<unsigned>(Function->MaxDynamicShared))
    return CUDA_ERROR_INVALID_VALUE;
  EmbeddedKernel Embedded = embeddedKernel(*Function);
  if (Embedded.Record) {
    uint32_t Most = Embedded.Record->max_threads_per_block;
    if (Most && P.blockDimX * P.blockDimY * P.blockDimZ > Most)
      return CUDA_ERROR_INVALID_VALUE;
    // Without opting in, static and dynamic shared memory have 48 KiB together.
    if (P.sharedMemBytes + uint64_t(Embedded.Record->static_shared_bytes) >
        std::max<uint64_t>(deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                           static_cast<uint64_t>(Function->MaxDynamicShared)))
      return CUDA_ERROR_INVALID_VALUE;
  }
  const auto &C = Kernel.Cluster;
  if (C[0]) {
    unsigned Size = C[0] * C[1] * C[2];
    if (!Size || Size > 16 || P.gridDimX % C[0] || P.gridDimY % C[1] || P.gridDimZ % C[2])
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (Kernel.Cooperative) {
    int Threads = static_cast<int>(P.blockDimX * P.blockDimY * P.blockDimZ);
    uint64_t Resident = uint64_t(blocksPerMultiprocessor(*Function, Threads, P.sharedMemBytes)) *
                        deviceAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (uint64_t(P.gridDimX) * P.gridDimY * P.gridDimZ > Resident)
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return checkRunnable(*Function);
}

CUresult launchKernel(CUcontext Context, const KernelOp &Kernel, CUstream Stream) {
  Context->Output.flush();
  KernelOp Checked = Kernel;
  Checked.Params.func = functionOf(Kernel.Params);
  {
    State &S = state();
    Lock L(S.M);
    if (CUresult R = checkKernel(S, Checked)) {
      // A launch that fails breaks the capture it was meant for.
      StreamRef Target;
      if (!resolveStream(S, Context, Stream, Target) && Target->Capture)
        invalidate(*Target->Capture);
      return R;
    }
  }
  keepArguments(Checked);
  return enqueue(Context, Stream, std::move(Checked), /*Wait=*/false);
}

int blocksPerMultiprocessor(const CUfunc_st &Function, int Threads, size_t DynamicShared) {
  if (Threads < 1 || Threads > deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
    return 0;
  int Warps = (Threads + 31) / 32;
  int ByThreads =
      deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / (Warps * 32);
  int Blocks =
      std::min(ByThreads, deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  size_t Shared =
      DynamicShared + staticSharedBytes(Function) +
      static_cast<size_t>(deviceAttribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  size_t Capacity = static_cast<size_t>(
      deviceAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  return static_cast<int>(std::min<size_t>(Blocks, Capacity / Shared));
}

} // namespace gpuinstr::sim
