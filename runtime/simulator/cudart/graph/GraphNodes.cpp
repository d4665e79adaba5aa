// Adding nodes to a graph and reading them.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/NodeWork.h"

#include "cudart/memory/CopyParams.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                             const cudaGraphNode_t *Deps, size_t Count,
                                             const cudaKernelNodeParams *P) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(Graph, Deps, Count, kernelWork(P), Out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                             const cudaGraphNode_t *Deps, size_t Count,
                                             const cudaMemcpy3DParms *P) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(Graph, Deps, Count, copyWork(P), Out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                               const cudaGraphNode_t *Deps, size_t Count, void *Dst,
                                               const void *Src, size_t Bytes, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext) {
    return addGraphNode(Graph, Deps, Count, copyWork1D(Dst, Src, Bytes, Kind), Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                     const cudaGraphNode_t *Deps, size_t Count,
                                                     const void *Symbol, const void *Src,
                                                     size_t Bytes, size_t Offset,
                                                     cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return addGraphNode(Graph, Deps, Count, symbolWork(C, true, Symbol, Src, Bytes, Offset, Kind),
                        Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                       const cudaGraphNode_t *Deps, size_t Count,
                                                       void *Dst, const void *Symbol, size_t Bytes,
                                                       size_t Offset, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return addGraphNode(Graph, Deps, Count, symbolWork(C, false, Symbol, Dst, Bytes, Offset, Kind),
                        Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                             const cudaGraphNode_t *Deps, size_t Count,
                                             const cudaMemsetParams *P) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(Graph, Deps, Count, setWork(P), Out); });
}

cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                           const cudaGraphNode_t *Deps, size_t Count,
                                           const cudaHostNodeParams *P) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(Graph, Deps, Count, hostWork(P), Out); });
}

cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                 const cudaGraphNode_t *Deps, size_t Count,
                                                 cudaGraph_t Child) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(Graph, Deps, Count, childWork(Child), Out); });
}

cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                            const cudaGraphNode_t *Deps, size_t Count) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(Graph, Deps, Count, EmptyOp{}, Out); });
}

cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                  const cudaGraphNode_t *Deps, size_t Count,
                                                  cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) {
    return addGraphNode(Graph, Deps, Count, RecordOp{Event, nullptr}, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                const cudaGraphNode_t *Deps, size_t Count,
                                                cudaEvent_t Event) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(Graph, Deps, Count, WaitOp{Event}, Out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemAllocNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                               const cudaGraphNode_t *Deps, size_t Count,
                                               cudaMemAllocNodeParams *P) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(Graph, Deps, Count, allocWork(P), Out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemFreeNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                              const cudaGraphNode_t *Deps, size_t Count,
                                              void *Address) {
  return deviceCall(__func__, [&](CUcontext) {
    return addGraphNode(Graph, Deps, Count, freeWork(Address), Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                       const cudaGraphNode_t *Deps, const cudaGraphEdgeData *,
                                       size_t Count, cudaGraphNodeParams *P) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(Graph, Deps, Count, genericWork(P), Out); });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t Node,
                                                   cudaKernelNodeParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<KernelOp>(Node, Out, [](const KernelOp &Kernel) {
      const CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
      const void *Symbol = P.func->HostSymbol ? P.func->HostSymbol : P.func;
      return cudaKernelNodeParams{const_cast<void *>(Symbol),
                                  dim3(P.gridDimX, P.gridDimY, P.gridDimZ),
                                  dim3(P.blockDimX, P.blockDimY, P.blockDimZ),
                                  P.sharedMemBytes,
                                  P.kernelParams,
                                  P.extra};
    });
  });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t Node, cudaMemcpy3DParms *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<CopyOp>(Node, Out,
                            [](const CopyOp &Copy) { return toRuntimeCopy(Copy.Params); });
  });
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t Node, cudaMemsetParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<SetOp>(Node, Out, [](const SetOp &Set) {
      const CUDA_MEMSET_NODE_PARAMS &P = Set.Params;
      return cudaMemsetParams{
          reinterpret_cast<void *>(P.dst), P.pitch, P.value, P.elementSize, P.width, P.height};
    });
  });
}

cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t Node, cudaHostNodeParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<HostOp>(Node, Out, [](const HostOp &Host) {
      return cudaHostNodeParams{Host.Params.fn, Host.Params.userData};
    });
  });
}

cudaError_t CUDARTAPI cudaGraphMemAllocNodeGetParams(cudaGraphNode_t Node,
                                                     cudaMemAllocNodeParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    auto *Same = reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS *>(Out);
    return readNode<AllocOp>(Node, Same, [](const AllocOp &Alloc) { return Alloc.Memory->Params; });
  });
}

cudaError_t CUDARTAPI cudaGraphMemFreeNodeGetParams(cudaGraphNode_t Node, void *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<FreeOp>(Node, static_cast<CUdeviceptr *>(Out),
                            [](const FreeOp &Free) { return Free.Address; });
  });
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t Node, cudaEvent_t *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<RecordOp>(Node, Out, [](const RecordOp &Record) { return Record.Event; });
  });
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t Node, cudaEvent_t *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<WaitOp>(Node, Out, [](const WaitOp &Wait) { return Wait.Event; });
  });
}

cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t Node, cudaGraph_t *Out) {
  return deviceCall(__func__, [&](CUcontext) { return childGraph(Node, Out); });
}

} // extern "C"
