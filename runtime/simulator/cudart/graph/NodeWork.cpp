// Between the runtime API's node parameters and the operations of the simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/NodeWork.h"

#include "cudart/kernel/LaunchParams.h"
#include "cudart/kernel/Registry.h"
#include "cudart/memory/CopyParams.h"
#include "device/kernel/KernelCode.h"

namespace gpuinstr::sim {

NodeWork kernelWork(const cudaKernelNodeParams *P) {
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  KernelOp Kernel = kernelOp(P->func, P->gridDim, P->blockDim, P->kernelParams, P->sharedMemBytes);
  Kernel.Params.extra = P->extra;
  if (!Kernel.Params.func)
    return toResult(cudaErrorInvalidDeviceFunction);
  keepArguments(Kernel);
  return Kernel;
}

NodeWork copyWork(const cudaMemcpy3DParms *P) {
  CopyOp Copy;
  if (cudaError_t E = P ? toDriverCopy(*P, Copy.Params) : cudaErrorInvalidValue)
    return toResult(E);
  return Copy;
}

NodeWork copyWork1D(void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind) {
  CUmemorytype To, From;
  if (!memoryTypes(Kind, To, From))
    return toResult(cudaErrorInvalidMemcpyDirection);
  if (!Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return CopyOp{linearCopy(To, Dst, From, Src, Bytes), nullptr};
}

NodeWork setWork(const cudaMemsetParams *P) {
  if (!P || !P->width || !P->height)
    return CUDA_ERROR_INVALID_VALUE;
  SetOp Set;
  Set.Params = {toAddress(P->dst), P->pitch, P->value, P->elementSize, P->width, P->height};
  return Set;
}

NodeWork hostWork(const cudaHostNodeParams *P) {
  if (!P || !P->fn)
    return CUDA_ERROR_INVALID_VALUE;
  HostOp Host;
  Host.Params = {P->fn, P->userData};
  return Host;
}

NodeWork allocWork(cudaMemAllocNodeParams *P) {
  static_assert(sizeof(*P) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "the APIs share this structure");
  if (!P || !P->bytesize || P->poolProps.location.type != cudaMemLocationTypeDevice)
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  int Ordinal = P->poolProps.location.id;
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUdeviceptr Address = S.Devices[Ordinal]->Memory.allocate(P->bytesize);
  if (!Address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  P->dptr = reinterpret_cast<void *>(Address);
  return AllocOp{
      std::make_shared<GraphMemory>(Address, &S.Devices[Ordinal]->Primary,
                                    reinterpret_cast<const CUDA_MEM_ALLOC_NODE_PARAMS &>(*P))};
}

NodeWork freeWork(void *Address) {
  if (!Address)
    return CUDA_ERROR_INVALID_VALUE;
  return FreeOp{toAddress(Address), nullptr};
}

NodeWork symbolWork(CUcontext C, bool To, const void *Symbol, const void *Other, size_t Bytes,
                    size_t Offset, cudaMemcpyKind Kind) {
  void *Address = nullptr;
  size_t Size = 0;
  if (cudaError_t E = symbolMemory(C, Symbol, &Address, &Size))
    return toResult(E);
  if (Offset > Size || Bytes > Size - Offset)
    return CUDA_ERROR_INVALID_VALUE;
  char *Inside = static_cast<char *>(Address) + Offset;
  return To ? copyWork1D(Inside, Other, Bytes, Kind)
            : copyWork1D(const_cast<void *>(Other), Inside, Bytes, Kind);
}

NodeWork genericWork(cudaGraphNodeParams *P) {
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  switch (P->type) {
  case cudaGraphNodeTypeKernel: {
    cudaKernelNodeParams K = {P->kernel.func,           P->kernel.gridDim,      P->kernel.blockDim,
                              P->kernel.sharedMemBytes, P->kernel.kernelParams, P->kernel.extra};
    return kernelWork(&K);
  }
  case cudaGraphNodeTypeMemcpy:
    return copyWork(&P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    cudaMemsetParams M = {P->memset.dst,         P->memset.pitch, P->memset.value,
                          P->memset.elementSize, P->memset.width, P->memset.height};
    return setWork(&M);
  }
  case cudaGraphNodeTypeHost: {
    cudaHostNodeParams H = {P->host.fn, P->host.userData};
    return hostWork(&H);
  }
  case cudaGraphNodeTypeGraph:
    return childWork(P->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return EmptyOp{};
  case cudaGraphNodeTypeWaitEvent:
    return WaitOp{P->eventWait.event};
  case cudaGraphNodeTypeEventRecord:
    return RecordOp{P->eventRecord.event, nullptr};
  case cudaGraphNodeTypeMemAlloc:
    static_assert(sizeof(cudaMemAllocNodeParamsV2) == sizeof(cudaMemAllocNodeParams), "");
    return allocWork(reinterpret_cast<cudaMemAllocNodeParams *>(&P->alloc));
  case cudaGraphNodeTypeMemFree:
    return FreeOp{toAddress(P->free.dptr), nullptr};
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

} // namespace gpuinstr::sim
