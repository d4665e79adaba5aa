// Nodes of graphs: adding, reading, changing.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "device/kernel/KernelCode.h"
#include "device/kernel/Module.h"
#include "device/work/GraphExec.h"

using namespace gpuinstr::sim;

namespace {

NodeWork kernelWork(const CUDA_KERNEL_NODE_PARAMS *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  KernelOp kernel;
  kernel.params = *p;
  kernel.params.func = p->func ? launched(p->func) : toFunction(p->kern);
  keepArguments(kernel);
  return kernel;
}

/// The operations that hold their parameters as the driver API gives them.
template <typename T, typename P> NodeWork workOf(const P *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  T work;
  work.params = *params;
  return work;
}

template <typename T, typename P> CUresult readParams(CUgraphNode node, P *out) {
  return readNode<T>(node, out, [](const T &work) { return work.params; });
}

NodeWork genericWork(const CUgraphNodeParams *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    const auto &k = p->kernel;
    CUDA_KERNEL_NODE_PARAMS params = {k.func,         k.gridDimX,  k.gridDimY,  k.gridDimZ,
                                      k.blockDimX,    k.blockDimY, k.blockDimZ, k.sharedMemBytes,
                                      k.kernelParams, k.extra,     k.kern,      k.ctx};
    return kernelWork(&params);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return workOf<CopyOp>(&p->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const auto &m = p->memset;
    CUDA_MEMSET_NODE_PARAMS params = {m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
    return workOf<SetOp>(&params);
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    CUDA_HOST_NODE_PARAMS params = {p->host.fn, p->host.userData};
    return workOf<HostOp>(&params);
  }
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return childWork(p->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return EmptyOp{};
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return WaitOp{p->eventWait.event};
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return RecordOp{p->eventRecord.event, nullptr};
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return FreeOp{p->free.dptr, nullptr};
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

} // namespace

extern "C" {

CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                      size_t count, const CUDA_KERNEL_NODE_PARAMS *p) {
  return driverCall(__func__, [&] { return addGraphNode(graph, deps, count, kernelWork(p), out); });
}
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out) {
  return driverCall(__func__, [&] { return readParams<KernelOp>(node, out); });
}
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
  return driverCall(__func__, [&] { return setNodeWork(node, kernelWork(p)); });
}
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS *p) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, kernelWork(p)); });
}

CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                      size_t count, const CUDA_MEMCPY3D *p, CUcontext) {
  return driverCall(__func__,
                    [&] { return addGraphNode(graph, deps, count, workOf<CopyOp>(p), out); });
}
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *out) {
  return driverCall(__func__, [&] { return readParams<CopyOp>(node, out); });
}
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *p) {
  return driverCall(__func__, [&] { return setNodeWork(node, workOf<CopyOp>(p)); });
}
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_MEMCPY3D *p, CUcontext) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, workOf<CopyOp>(p)); });
}

CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                      size_t count, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext) {
  return driverCall(__func__,
                    [&] { return addGraphNode(graph, deps, count, workOf<SetOp>(p), out); });
}
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *out) {
  return driverCall(__func__, [&] { return readParams<SetOp>(node, out); });
}
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
  return driverCall(__func__, [&] { return setNodeWork(node, workOf<SetOp>(p)); });
}
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_MEMSET_NODE_PARAMS *p, CUcontext) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, workOf<SetOp>(p)); });
}

CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                    size_t count, const CUDA_HOST_NODE_PARAMS *p) {
  return driverCall(__func__,
                    [&] { return addGraphNode(graph, deps, count, workOf<HostOp>(p), out); });
}
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *out) {
  return driverCall(__func__, [&] { return readParams<HostOp>(node, out); });
}
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
  return driverCall(__func__, [&] { return setNodeWork(node, workOf<HostOp>(p)); });
}
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                              const CUDA_HOST_NODE_PARAMS *p) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, workOf<HostOp>(p)); });
}

CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                           size_t count, CUevent event) {
  return driverCall(__func__, [&] {
    return addGraphNode(graph, deps, count, RecordOp{event, nullptr}, out);
  });
}
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out) {
  return driverCall(__func__, [&] {
    return readNode<RecordOp>(node, out, [](const RecordOp &work) { return work.event; });
  });
}
CUresult CUDAAPI cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return driverCall(__func__, [&] { return setNodeWork(node, RecordOp{event, nullptr}); });
}
CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                    CUevent event) {
  return driverCall(__func__, [&] {
    return setExecNodeWork(exec, node, RecordOp{event, nullptr});
  });
}

CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                         size_t count, CUevent event) {
  return driverCall(__func__, [&] { return addGraphNode(graph, deps, count, WaitOp{event}, out); });
}
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out) {
  return driverCall(__func__, [&] {
    return readNode<WaitOp>(node, out, [](const WaitOp &work) { return work.event; });
  });
}
CUresult CUDAAPI cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return driverCall(__func__, [&] { return setNodeWork(node, WaitOp{event}); });
}
CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                  CUevent event) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, WaitOp{event}); });
}

CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                     size_t count) {
  return driverCall(__func__, [&] { return addGraphNode(graph, deps, count, EmptyOp{}, out); });
}
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                          size_t count, CUgraph child) {
  return driverCall(__func__,
                    [&] { return addGraphNode(graph, deps, count, childWork(child), out); });
}
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out) {
  return driverCall(__func__, [&] { return childGraph(node, out); });
}
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                    CUgraph child) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, childWork(child)); });
}
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                       size_t count, CUdeviceptr address) {
  return driverCall(__func__, [&] {
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    return addGraphNode(graph, deps, count, FreeOp{address, nullptr}, out);
  });
}
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out) {
  return driverCall(__func__, [&] {
    return readNode<FreeOp>(node, out, [](const FreeOp &work) { return work.address; });
  });
}
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *out) {
  return driverCall(__func__, [&] {
    return readNode<AllocOp>(node, out, [](const AllocOp &work) { return work.memory->params; });
  });
}

CUresult CUDAAPI cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
                                const CUgraphEdgeData *, size_t count, CUgraphNodeParams *p) {
  return driverCall(__func__,
                    [&] { return addGraphNode(graph, deps, count, genericWork(p), out); });
}
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p) {
  return driverCall(__func__, [&] { return setNodeWork(node, genericWork(p)); });
}
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                          CUgraphNodeParams *p) {
  return driverCall(__func__, [&] { return setExecNodeWork(exec, node, genericWork(p)); });
}

} // extern "C"
