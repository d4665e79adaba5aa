// Changing the parameters of nodes in graphs and executable graphs.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/NodeWork.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                   const cudaKernelNodeParams *p) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(node, kernelWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                   const cudaMemcpy3DParms *p) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(node, copyWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                                     const void *src, size_t bytes,
                                                     cudaMemcpyKind kind) {
  return deviceCall(
      __func__, [&](CUcontext) { return setNodeWork(node, copyWork1D(dst, src, bytes, kind)); });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                           const void *src, size_t bytes,
                                                           size_t offset, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return setNodeWork(node, symbolWork(c, true, symbol, src, bytes, offset, kind));
  });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                             const void *symbol, size_t bytes,
                                                             size_t offset, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return setNodeWork(node, symbolWork(c, false, symbol, dst, bytes, offset, kind));
  });
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                   const cudaMemsetParams *p) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(node, setWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                 const cudaHostNodeParams *p) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(node, hostWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) {
    return setNodeWork(node, RecordOp{event, nullptr});
  });
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(node, WaitOp{event}); });
}

cudaError_t CUDARTAPI cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *p) {
  return deviceCall(__func__, [&](CUcontext) { return setNodeWork(node, genericWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       const cudaKernelNodeParams *p) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(exec, node, kernelWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       const cudaMemcpy3DParms *p) {
  return deviceCall(__func__, [&](CUcontext) { return setExecNodeWork(exec, node, copyWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                         void *dst, const void *src, size_t bytes,
                                                         cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext) {
    return setExecNodeWork(exec, node, copyWork1D(dst, src, bytes, kind));
  });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec,
                                                               cudaGraphNode_t node,
                                                               const void *symbol, const void *src,
                                                               size_t bytes, size_t offset,
                                                               cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return setExecNodeWork(exec, node, symbolWork(c, true, symbol, src, bytes, offset, kind));
  });
}

cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
                                                                 cudaGraphNode_t node, void *dst,
                                                                 const void *symbol, size_t bytes,
                                                                 size_t offset,
                                                                 cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return setExecNodeWork(exec, node, symbolWork(c, false, symbol, dst, bytes, offset, kind));
  });
}

cudaError_t CUDARTAPI cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       const cudaMemsetParams *p) {
  return deviceCall(__func__, [&](CUcontext) { return setExecNodeWork(exec, node, setWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const cudaHostNodeParams *p) {
  return deviceCall(__func__, [&](CUcontext) { return setExecNodeWork(exec, node, hostWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec,
                                                           cudaGraphNode_t node,
                                                           cudaGraph_t child) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(exec, node, childWork(child)); });
}

cudaError_t CUDARTAPI cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec,
                                                           cudaGraphNode_t node,
                                                           cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) {
    return setExecNodeWork(exec, node, RecordOp{event, nullptr});
  });
}

cudaError_t CUDARTAPI cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                         cudaEvent_t event) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(exec, node, WaitOp{event}); });
}

cudaError_t CUDARTAPI cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraphNodeParams *p) {
  return deviceCall(__func__,
                    [&](CUcontext) { return setExecNodeWork(exec, node, genericWork(p)); });
}

cudaError_t CUDARTAPI cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              unsigned enabled) {
  return deviceCall(__func__, [&](CUcontext) {
    bool set = enabled != 0;
    return enableExecNode(exec, node, &set, nullptr);
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              unsigned *enabled) {
  return deviceCall(__func__,
                    [&](CUcontext) { return enableExecNode(exec, node, nullptr, enabled); });
}

cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                          cudaGraphExecUpdateResultInfo *info) {
  return deviceCall(__func__, [&](CUcontext) {
    static_assert(sizeof(*info) == sizeof(CUgraphExecUpdateResultInfo), "");
    return updateExec(exec, graph, reinterpret_cast<CUgraphExecUpdateResultInfo *>(info));
  });
}

} // extern "C"
