// Changing the parameters of nodes in graphs and executable graphs.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/NodeWork.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphKernelNodeSetParams(cudaGraphNode_t Node,
                                                   const cudaKernelNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(Node, kernelWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams(cudaGraphNode_t Node,
                                                   const cudaMemcpy3DParms *P) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(Node, copyWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t Node, void *Dst,
                                                     const void *Src, size_t Bytes,
                                                     cudaMemcpyKind Kind) {
  return deviceCall(
      __func__, [&](CUcontext) { return setNodeWork(Node, copyWork1D(Dst, Src, Bytes, Kind)); });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t Node, const void *Symbol,
                                                           const void *Src, size_t Bytes,
                                                           size_t Offset, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return setNodeWork(Node, symbolWork(C, true, Symbol, Src, Bytes, Offset, Kind));
  });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t Node, void *Dst,
                                                             const void *Symbol, size_t Bytes,
                                                             size_t Offset, cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return setNodeWork(Node, symbolWork(C, false, Symbol, Dst, Bytes, Offset, Kind));
  });
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeSetParams(cudaGraphNode_t Node,
                                                   const cudaMemsetParams *P) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(Node, setWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphHostNodeSetParams(cudaGraphNode_t Node,
                                                 const cudaHostNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(Node, hostWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t Node, cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) {
    return setNodeWork(Node, RecordOp{Event, nullptr});
  });
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t Node, cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(Node, WaitOp{Event}); });
}

cudaError_t CUDARTAPI cudaGraphNodeSetParams(cudaGraphNode_t Node, cudaGraphNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(Node, genericWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                       const cudaKernelNodeParams *P) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(Exec, Node, kernelWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                       const cudaMemcpy3DParms *P) {
  return deviceCall(__func__, [&](CUcontext) { return setExecNodeWork(Exec, Node, copyWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                         void *Dst, const void *Src, size_t Bytes,
                                                         cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext) {
    return setExecNodeWork(Exec, Node, copyWork1D(Dst, Src, Bytes, Kind));
  });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t Exec,
                                                               cudaGraphNode_t Node,
                                                               const void *Symbol, const void *Src,
                                                               size_t Bytes, size_t Offset,
                                                               cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return setExecNodeWork(Exec, Node, symbolWork(C, true, Symbol, Src, Bytes, Offset, Kind));
  });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t Exec,
                                                                 cudaGraphNode_t Node, void *Dst,
                                                                 const void *Symbol, size_t Bytes,
                                                                 size_t Offset,
                                                                 cudaMemcpyKind Kind) {
  return deviceCall(__func__, [&](CUcontext C) {
    return setExecNodeWork(Exec, Node, symbolWork(C, false, Symbol, Dst, Bytes, Offset, Kind));
  });
}

cudaError_t CUDARTAPI cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                       const cudaMemsetParams *P) {
  return deviceCall(__func__, [&](CUcontext) { return setExecNodeWork(Exec, Node, setWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphExecHostNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                     const cudaHostNodeParams *P) {
  return deviceCall(__func__, [&](CUcontext) { return setExecNodeWork(Exec, Node, hostWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t Exec,
                                                           cudaGraphNode_t Node,
                                                           cudaGraph_t Child) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(Exec, Node, childWork(Child)); });
}

cudaError_t CUDARTAPI cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t Exec,
                                                           cudaGraphNode_t Node,
                                                           cudaEvent_t Event) {
  return deviceCall(__func__, [&](CUcontext) {
    return setExecNodeWork(Exec, Node, RecordOp{Event, nullptr});
  });
}

cudaError_t CUDARTAPI cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                         cudaEvent_t Event) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(Exec, Node, WaitOp{Event}); });
}

cudaError_t CUDARTAPI cudaGraphExecNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                 cudaGraphNodeParams *P) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(Exec, Node, genericWork(P)); });
}

cudaError_t CUDARTAPI cudaGraphNodeSetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                              unsigned Enabled) {
  return deviceCall(__func__, [&](CUcontext) {
    bool Set = Enabled != 0;
    return enableExecNode(Exec, Node, &Set, nullptr);
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                              unsigned *Enabled) {
  return deviceCall(__func__,
                    [&](CUcontext) { return enableExecNode(Exec, Node, nullptr, Enabled); });
}

cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                          cudaGraphExecUpdateResultInfo *Info) {
  return deviceCall(__func__, [&](CUcontext) {
    static_assert(sizeof(*Info) == sizeof(CUgraphExecUpdateResultInfo), "");
    return updateExec(Exec, Graph, reinterpret_cast<CUgraphExecUpdateResultInfo *>(Info));
  });
}

} // extern "C"
