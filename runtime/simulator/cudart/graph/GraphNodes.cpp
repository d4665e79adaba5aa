// Adding nodes to a graph and reading them.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/GraphNodes.h"

#include "cudart/memory/CopyParams.h"

#include <cstring>

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                             const cudaGraphNode_t *Deps, size_t Count,
                                             const cudaKernelNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext) {
    Op Work;
    cudaError_t Made = kernelWork(P, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                             const cudaGraphNode_t *Deps, size_t Count,
                                             const cudaMemcpy3DParms *P) {
  return deviceCall(__func__, [&](CUcontext) {
    Op Work;
    cudaError_t Made = copyWork(P, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                               const cudaGraphNode_t *Deps, size_t Count, void *Dst,
                                               const void *Src, size_t Bytes, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext) {
    Op Work;
    cudaError_t Made = copyWork1D(Dst, Src, Bytes, Kind, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                     const cudaGraphNode_t *Deps, size_t Count,
                                                     const void *Symbol, const void *Src,
                                                     size_t Bytes, size_t Offset,
                                                     cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    Op Work;
    cudaError_t Made = symbolWork(C, true, Symbol, Src, Bytes, Offset, Kind, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                       const cudaGraphNode_t *Deps, size_t Count,
                                                       void *Dst, const void *Symbol, size_t Bytes,
                                                       size_t Offset, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    Op Work;
    cudaError_t Made = symbolWork(C, false, Symbol, Dst, Bytes, Offset, Kind, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                             const cudaGraphNode_t *Deps, size_t Count,
                                             const cudaMemsetParams *P) {
  return deviceCall(__func__, [&](CUcontext) {
    Op Work;
    cudaError_t Made = setWork(P, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                           const cudaGraphNode_t *Deps, size_t Count,
                                           const cudaHostNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext) {
    Op Work;
    cudaError_t Made = hostWork(P, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                 const cudaGraphNode_t *Deps, size_t Count,
                                                 cudaGraph_t Child) {
  return deviceCall(__func__, [&](CUcontext) {
    Op Work;
    cudaError_t Made = childWork(Child, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                            const cudaGraphNode_t *Deps, size_t Count) {
  return deviceCall(
      __func__, [&](CUcontext) { return add(cudaSuccess, Graph, Deps, Count, EmptyOp{}, Out); });
}

cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                  const cudaGraphNode_t *Deps, size_t Count,
                                                  cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) {
    return add(cudaSuccess, Graph, Deps, Count, RecordOp{Event, nullptr}, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                                const cudaGraphNode_t *Deps, size_t Count,
                                                cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) {
    return add(cudaSuccess, Graph, Deps, Count, WaitOp{Event}, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemAllocNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                               const cudaGraphNode_t *Deps, size_t Count,
                                               cudaMemAllocNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext C) {
    Op Work;
    cudaError_t Made = P ? allocWork(C, *P, Work) : cudaErrorInvalidValue;
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemFreeNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                              const cudaGraphNode_t *Deps, size_t Count,
                                              void *Address) {
  return deviceCall(__func__, [&](CUcontext) {
    cudaError_t Made = Address ? cudaSuccess : cudaErrorInvalidValue;
    return add(Made, Graph, Deps, Count, FreeOp{toAddress(Address), nullptr}, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddNode(cudaGraphNode_t *Out, cudaGraph_t Graph,
                                       const cudaGraphNode_t *Deps, const cudaGraphEdgeData *,
                                       size_t Count, cudaGraphNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext C) {
    Op Work;
    cudaError_t Made = genericWork(C, P, Work);
    return add(Made, Graph, Deps, Count, Work, Out);
  });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t Node,
                                                   cudaKernelNodeParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    KernelOp Kernel;
    cudaError_t E = Out ? workOf(Node, Kernel) : cudaErrorInvalidValue;
    if (E)
      return E;
    const CUDA_KERNEL_NODE_PARAMS &P = Kernel.Params;
    const void *Symbol = P.func->HostSymbol ? P.func->HostSymbol : P.func;
    *Out = {const_cast<void *>(Symbol),
            dim3(P.gridDimX, P.gridDimY, P.gridDimZ),
            dim3(P.blockDimX, P.blockDimY, P.blockDimZ),
            P.sharedMemBytes,
            P.kernelParams,
            P.extra};
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t Node, cudaMemcpy3DParms *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    CopyOp Copy;
    cudaError_t E = Out ? workOf(Node, Copy) : cudaErrorInvalidValue;
    if (!E)
      *Out = toRuntimeCopy(Copy.Params);
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t Node, cudaMemsetParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    SetOp Set;
    cudaError_t E = Out ? workOf(Node, Set) : cudaErrorInvalidValue;
    const CUDA_MEMSET_NODE_PARAMS &P = Set.Params;
    if (!E)
      *Out = {reinterpret_cast<void *>(P.dst), P.pitch, P.value, P.elementSize, P.width, P.height};
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t Node, cudaHostNodeParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    HostOp Host;
    cudaError_t E = Out ? workOf(Node, Host) : cudaErrorInvalidValue;
    if (!E)
      *Out = {Host.Params.fn, Host.Params.userData};
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphMemAllocNodeGetParams(cudaGraphNode_t Node,
                                                     cudaMemAllocNodeParams *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    AllocOp Alloc;
    cudaError_t E = Out ? workOf(Node, Alloc) : cudaErrorInvalidValue;
    if (!E)
      std::memcpy(Out, &Alloc.Memory->Params, sizeof(*Out));
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphMemFreeNodeGetParams(cudaGraphNode_t Node, void *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    FreeOp Free;
    cudaError_t E = Out ? workOf(Node, Free) : cudaErrorInvalidValue;
    if (!E)
      std::memcpy(Out, &Free.Address, sizeof(Free.Address));
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t Node, cudaEvent_t *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    RecordOp Record;
    cudaError_t E = Out ? workOf(Node, Record) : cudaErrorInvalidValue;
    if (!E)
      *Out = Record.Event;
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t Node, cudaEvent_t *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    WaitOp Wait;
    cudaError_t E = Out ? workOf(Node, Wait) : cudaErrorInvalidValue;
    if (!E)
      *Out = Wait.Event;
    return E;
  });
}

cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t Node, cudaGraph_t *Out) {
  return deviceCall(__func__, [&](CUcontext) { return childGraph(Node, Out); });
}

} // extern "C"
