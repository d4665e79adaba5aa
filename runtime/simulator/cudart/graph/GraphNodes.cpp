// Adding nodes to a graph and reading them.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/NodeWork.h"

#include "cudart/memory/CopyParams.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                             const cudaGraphNode_t *deps, size_t count,
                                             const cudaKernelNodeParams *p) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(graph, deps, count, kernelWork(p), out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                             const cudaGraphNode_t *deps, size_t count,
                                             const cudaMemcpy3DParms *p) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(graph, deps, count, copyWork(p), out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                               const cudaGraphNode_t *deps, size_t count, void *dst,
                                               const void *src, size_t bytes, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext) {
    return addGraphNode(graph, deps, count, copyWork1D(dst, src, bytes, kind), out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                                     const cudaGraphNode_t *deps, size_t count,
                                                     const void *symbol, const void *src,
                                                     size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return addGraphNode(graph, deps, count, symbolWork(c, true, symbol, src, bytes, offset, kind),
                        out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                                       const cudaGraphNode_t *deps, size_t count,
                                                       void *dst, const void *symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return deviceCall(__func__, [&](CUcontext c) {
    return addGraphNode(graph, deps, count, symbolWork(c, false, symbol, dst, bytes, offset, kind),
                        out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                             const cudaGraphNode_t *deps, size_t count,
                                             const cudaMemsetParams *p) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(graph, deps, count, setWork(p), out); });
}

cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                           const cudaGraphNode_t *deps, size_t count,
                                           const cudaHostNodeParams *p) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(graph, deps, count, hostWork(p), out); });
}

cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                                 const cudaGraphNode_t *deps, size_t count,
                                                 cudaGraph_t child) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(graph, deps, count, childWork(child), out); });
}

cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                            const cudaGraphNode_t *deps, size_t count) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(graph, deps, count, EmptyOp{}, out); });
}

cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                                  const cudaGraphNode_t *deps, size_t count,
                                                  cudaEvent_t event) {
  return deviceCall(__func__, [&](CUcontext) {
    return addGraphNode(graph, deps, count, RecordOp{event, nullptr}, out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                                const cudaGraphNode_t *deps, size_t count,
                                                cudaEvent_t event) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(graph, deps, count, WaitOp{event}, out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                               const cudaGraphNode_t *deps, size_t count,
                                               cudaMemAllocNodeParams *p) {
  return deviceCall(__func__,
                    [&](CUcontext) { return addGraphNode(graph, deps, count, allocWork(p), out); });
}

cudaError_t CUDARTAPI cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                              const cudaGraphNode_t *deps, size_t count,
                                              void *address) {
  return deviceCall(__func__, [&](CUcontext) {
    return addGraphNode(graph, deps, count, freeWork(address), out);
  });
}

cudaError_t CUDARTAPI cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *deps, const cudaGraphEdgeData *,
                                       size_t count, cudaGraphNodeParams *p) {
  return deviceCall(
      __func__, [&](CUcontext) { return addGraphNode(graph, deps, count, genericWork(p), out); });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                   cudaKernelNodeParams *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<KernelOp>(node, out, [](const KernelOp &kernel) {
      const CUDA_KERNEL_NODE_PARAMS &p = kernel.params;
      const void *symbol = p.func->hostSymbol ? p.func->hostSymbol : p.func;
      return cudaKernelNodeParams{const_cast<void *>(symbol),
                                  dim3(p.gridDimX, p.gridDimY, p.gridDimZ),
                                  dim3(p.blockDimX, p.blockDimY, p.blockDimZ),
                                  p.sharedMemBytes,
                                  p.kernelParams,
                                  p.extra};
    });
  });
}

cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<CopyOp>(node, out,
                            [](const CopyOp &copy) { return toRuntimeCopy(copy.params); });
  });
}

cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<SetOp>(node, out, [](const SetOp &set) {
      const CUDA_MEMSET_NODE_PARAMS &p = set.params;
      return cudaMemsetParams{
          reinterpret_cast<void *>(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
    });
  });
}

cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<HostOp>(node, out, [](const HostOp &host) {
      return cudaHostNodeParams{host.params.fn, host.params.userData};
    });
  });
}

cudaError_t CUDARTAPI cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                     cudaMemAllocNodeParams *out) {
  return deviceCall(__func__, [&](CUcontext) {
    auto *same = reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS *>(out);
    return readNode<AllocOp>(node, same, [](const AllocOp &alloc) { return alloc.memory->params; });
  });
}

cudaError_t CUDARTAPI cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<FreeOp>(node, static_cast<CUdeviceptr *>(out),
                            [](const FreeOp &free) { return free.address; });
  });
}

cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<RecordOp>(node, out, [](const RecordOp &record) { return record.event; });
  });
}

cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return readNode<WaitOp>(node, out, [](const WaitOp &wait) { return wait.event; });
  });
}

cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out) {
  return deviceCall(__func__, [&](CUcontext) { return childGraph(node, out); });
}

} // extern "C"
