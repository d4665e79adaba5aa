// Between the runtime API's node parameters and the operations of the simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/KernelCode.h"
#include "device/memory/MemoryPool.h"
#include "cudart/memory/CopyParams.h"
#include "cudart/graph/GraphNodes.h"
#include "cudart/kernel/LaunchParams.h"
#include "cudart/kernel/Registry.h"

namespace gpuinstr::sim {

cudaError_t kernelWork(const cudaKernelNodeParams *P, Op &Out) {
  if (!P)
    return cudaErrorInvalidValue;
  KernelOp Kernel = kernelOp(P->func, P->gridDim, P->blockDim, P->kernelParams, P->sharedMemBytes);
  Kernel.Params.extra = P->extra;
  if (!Kernel.Params.func)
    return cudaErrorInvalidDeviceFunction;
  keepArguments(Kernel);
  Out = Kernel;
  return cudaSuccess;
}

cudaError_t copyWork(const cudaMemcpy3DParms *P, Op &Out) {
  CopyOp Copy;
  cudaError_t E = P ? toDriverCopy(*P, Copy.Params) : cudaErrorInvalidValue;
  Out = Copy;
  return E;
}

cudaError_t copyWork1D(void *Dst, const void *Src, size_t Bytes, cudaMemcpyKind Kind, Op &Out) {
  CUmemorytype To, From;
  if (!memoryTypes(Kind, To, From))
    return cudaErrorInvalidMemcpyDirection;
  CopyOp Copy;
  Copy.Params = linearCopy(To, Dst, From, Src, Bytes);
  Out = Copy;
  return Bytes ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t setWork(const cudaMemsetParams *P, Op &Out) {
  if (!P)
    return cudaErrorInvalidValue;
  SetOp Set;
  Set.Params = {toAddress(P->dst), P->pitch, P->value, P->elementSize, P->width, P->height};
  Out = Set;
  return P->width && P->height ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hostWork(const cudaHostNodeParams *P, Op &Out) {
  if (!P || !P->fn)
    return cudaErrorInvalidValue;
  HostOp Host;
  Host.Params = {P->fn, P->userData};
  Out = Host;
  return cudaSuccess;
}

cudaError_t childWork(cudaGraph_t Graph, Op &Out) {
  Lock L(state().M);
  if (!isGraph(Graph))
    return cudaErrorInvalidValue;
  // A second owner for the moment of the call: adding the node makes a copy.
  Out = ChildOp{std::shared_ptr<CUgraph_st>(Graph, [](CUgraph_st *) {})};
  return cudaSuccess;
}

cudaError_t allocWork(CUcontext, cudaMemAllocNodeParams &P, Op &Out) {
  static_assert(sizeof(P) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "the APIs share this structure");
  if (!P.bytesize || P.poolProps.location.type != cudaMemLocationTypeDevice)
    return cudaErrorInvalidValue;
  State &S = state();
  Lock L(S.M);
  int Ordinal = P.poolProps.location.id;
  if (!isDevice(S, Ordinal))
    return cudaErrorInvalidDevice;
  CUdeviceptr Address = S.Devices[Ordinal]->Memory.allocate(P.bytesize);
  if (!Address)
    return cudaErrorMemoryAllocation;
  P.dptr = reinterpret_cast<void *>(Address);
  Out = AllocOp{
      std::make_shared<GraphMemory>(Address, &S.Devices[Ordinal]->Primary,
                                    reinterpret_cast<const CUDA_MEM_ALLOC_NODE_PARAMS &>(P))};
  return cudaSuccess;
}

cudaError_t symbolWork(CUcontext C, bool To, const void *Symbol, const void *Other, size_t Bytes,
                       size_t Offset, cudaMemcpyKind Kind, Op &Out) {
  void *Address = nullptr;
  size_t Size = 0;
  if (cudaError_t E = symbolMemory(C, Symbol, &Address, &Size))
    return E;
  if (Offset > Size || Bytes > Size - Offset)
    return cudaErrorInvalidValue;
  char *Inside = static_cast<char *>(Address) + Offset;
  return To ? copyWork1D(Inside, Other, Bytes, Kind, Out)
            : copyWork1D(const_cast<void *>(Other), Inside, Bytes, Kind, Out);
}

cudaError_t genericWork(CUcontext C, cudaGraphNodeParams *P, Op &Out) {
  if (!P)
    return cudaErrorInvalidValue;
  switch (P->type) {
  case cudaGraphNodeTypeKernel: {
    cudaKernelNodeParams K = {P->kernel.func,           P->kernel.gridDim,      P->kernel.blockDim,
                              P->kernel.sharedMemBytes, P->kernel.kernelParams, P->kernel.extra};
    return kernelWork(&K, Out);
  }
  case cudaGraphNodeTypeMemcpy:
    return copyWork(&P->memcpy.copyParams, Out);
  case cudaGraphNodeTypeMemset: {
    cudaMemsetParams M = {P->memset.dst,         P->memset.pitch, P->memset.value,
                          P->memset.elementSize, P->memset.width, P->memset.height};
    return setWork(&M, Out);
  }
  case cudaGraphNodeTypeHost: {
    cudaHostNodeParams H = {P->host.fn, P->host.userData};
    return hostWork(&H, Out);
  }
  case cudaGraphNodeTypeGraph:
    return childWork(P->graph.graph, Out);
  case cudaGraphNodeTypeEmpty:
    Out = EmptyOp{};
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
    Out = WaitOp{P->eventWait.event};
    return cudaSuccess;
  case cudaGraphNodeTypeEventRecord:
    Out = RecordOp{P->eventRecord.event, nullptr};
    return cudaSuccess;
  case cudaGraphNodeTypeMemAlloc: {
    static_assert(sizeof(cudaMemAllocNodeParamsV2) == sizeof(cudaMemAllocNodeParams), "");
    return allocWork(C, reinterpret_cast<cudaMemAllocNodeParams &>(P->alloc), Out);
  }
  case cudaGraphNodeTypeMemFree:
    Out = FreeOp{toAddress(P->free.dptr), nullptr};
    return cudaSuccess;
  default:
    return cudaErrorNotSupported;
  }
}

} // namespace gpuinstr::sim
