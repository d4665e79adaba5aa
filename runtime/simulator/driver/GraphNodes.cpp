// Nodes of graphs: adding, reading, changing.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "device/kernel/KernelCode.h"
#include "device/work/GraphExec.h"

using namespace gpuinstr::sim;

namespace {

NodeWork kernelWork(const CUDA_KERNEL_NODE_PARAMS *P) {
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  KernelOp Kernel;
  Kernel.Params = *P;
  if (!Kernel.Params.func) // A CUkernel is the address of its function.
    Kernel.Params.func = reinterpret_cast<CUfunction>(P->kern);
  keepArguments(Kernel);
  return Kernel;
}

/// The operations that hold their parameters as the driver API gives them.
template <typename T, typename P> NodeWork workOf(const P *Params) {
  if (!Params)
    return CUDA_ERROR_INVALID_VALUE;
  T Work;
  Work.Params = *Params;
  return Work;
}

template <typename T, typename P> CUresult readParams(CUgraphNode Node, P *Out) {
  return readNode<T>(Node, Out, [](const T &Work) { return Work.Params; });
}

NodeWork genericWork(const CUgraphNodeParams *P) {
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  switch (P->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    const auto &K = P->kernel;
    CUDA_KERNEL_NODE_PARAMS Params = {K.func,         K.gridDimX,  K.gridDimY,  K.gridDimZ,
                                      K.blockDimX,    K.blockDimY, K.blockDimZ, K.sharedMemBytes,
                                      K.kernelParams, K.extra,     K.kern,      K.ctx};
    return kernelWork(&Params);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return workOf<CopyOp>(&P->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const auto &M = P->memset;
    CUDA_MEMSET_NODE_PARAMS Params = {M.dst, M.pitch, M.value, M.elementSize, M.width, M.height};
    return workOf<SetOp>(&Params);
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    CUDA_HOST_NODE_PARAMS Params = {P->host.fn, P->host.userData};
    return workOf<HostOp>(&Params);
  }
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return childWork(P->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return EmptyOp{};
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return WaitOp{P->eventWait.event};
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return RecordOp{P->eventRecord.event, nullptr};
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return FreeOp{P->free.dptr, nullptr};
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

} // namespace

extern "C" {

CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                      size_t Count, const CUDA_KERNEL_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return addGraphNode(Graph, Deps, Count, kernelWork(P), Out); });
}
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode Node, CUDA_KERNEL_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] { return readParams<KernelOp>(Node, Out); });
}
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode Node, const CUDA_KERNEL_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return setNodeWork(Node, kernelWork(P)); });
}
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                const CUDA_KERNEL_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, kernelWork(P)); });
}

CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                      size_t Count, const CUDA_MEMCPY3D *P, CUcontext) {
  return driverCall(__func__,
                    [&] { return addGraphNode(Graph, Deps, Count, workOf<CopyOp>(P), Out); });
}
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode Node, CUDA_MEMCPY3D *Out) {
  return driverCall(__func__, [&] { return readParams<CopyOp>(Node, Out); });
}
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode Node, const CUDA_MEMCPY3D *P) {
  return driverCall(__func__, [&] { return setNodeWork(Node, workOf<CopyOp>(P)); });
}
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                const CUDA_MEMCPY3D *P, CUcontext) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, workOf<CopyOp>(P)); });
}

CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                      size_t Count, const CUDA_MEMSET_NODE_PARAMS *P, CUcontext) {
  return driverCall(__func__,
                    [&] { return addGraphNode(Graph, Deps, Count, workOf<SetOp>(P), Out); });
}
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode Node, CUDA_MEMSET_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] { return readParams<SetOp>(Node, Out); });
}
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode Node, const CUDA_MEMSET_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return setNodeWork(Node, workOf<SetOp>(P)); });
}
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                const CUDA_MEMSET_NODE_PARAMS *P, CUcontext) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, workOf<SetOp>(P)); });
}

CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                    size_t Count, const CUDA_HOST_NODE_PARAMS *P) {
  return driverCall(__func__,
                    [&] { return addGraphNode(Graph, Deps, Count, workOf<HostOp>(P), Out); });
}
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode Node, CUDA_HOST_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] { return readParams<HostOp>(Node, Out); });
}
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode Node, const CUDA_HOST_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return setNodeWork(Node, workOf<HostOp>(P)); });
}
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                              const CUDA_HOST_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, workOf<HostOp>(P)); });
}

CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                           size_t Count, CUevent Event) {
  return driverCall(__func__, [&] {
    return addGraphNode(Graph, Deps, Count, RecordOp{Event, nullptr}, Out);
  });
}
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode Node, CUevent *Out) {
  return driverCall(__func__, [&] {
    return readNode<RecordOp>(Node, Out, [](const RecordOp &Work) { return Work.Event; });
  });
}
CUresult CUDAAPI cuGraphEventRecordNodeSetEvent(CUgraphNode Node, CUevent Event) {
  return driverCall(__func__, [&] { return setNodeWork(Node, RecordOp{Event, nullptr}); });
}
CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec Exec, CUgraphNode Node,
                                                    CUevent Event) {
  return driverCall(__func__, [&] {
    return setExecNodeWork(Exec, Node, RecordOp{Event, nullptr});
  });
}

CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                         size_t Count, CUevent Event) {
  return driverCall(__func__, [&] { return addGraphNode(Graph, Deps, Count, WaitOp{Event}, Out); });
}
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode Node, CUevent *Out) {
  return driverCall(__func__, [&] {
    return readNode<WaitOp>(Node, Out, [](const WaitOp &Work) { return Work.Event; });
  });
}
CUresult CUDAAPI cuGraphEventWaitNodeSetEvent(CUgraphNode Node, CUevent Event) {
  return driverCall(__func__, [&] { return setNodeWork(Node, WaitOp{Event}); });
}
CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec Exec, CUgraphNode Node,
                                                  CUevent Event) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, WaitOp{Event}); });
}

CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                     size_t Count) {
  return driverCall(__func__, [&] { return addGraphNode(Graph, Deps, Count, EmptyOp{}, Out); });
}
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                          size_t Count, CUgraph Child) {
  return driverCall(__func__,
                    [&] { return addGraphNode(Graph, Deps, Count, childWork(Child), Out); });
}
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode Node, CUgraph *Out) {
  return driverCall(__func__, [&] { return childGraph(Node, Out); });
}
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                    CUgraph Child) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, childWork(Child)); });
}
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                       size_t Count, CUdeviceptr Address) {
  return driverCall(__func__, [&] {
    if (!Address)
      return CUDA_ERROR_INVALID_VALUE;
    return addGraphNode(Graph, Deps, Count, FreeOp{Address, nullptr}, Out);
  });
}
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode Node, CUdeviceptr *Out) {
  return driverCall(__func__, [&] {
    return readNode<FreeOp>(Node, Out, [](const FreeOp &Work) { return Work.Address; });
  });
}
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode Node, CUDA_MEM_ALLOC_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] {
    return readNode<AllocOp>(Node, Out, [](const AllocOp &Work) { return Work.Memory->Params; });
  });
}

CUresult CUDAAPI cuGraphAddNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                const CUgraphEdgeData *, size_t Count, CUgraphNodeParams *P) {
  return driverCall(__func__,
                    [&] { return addGraphNode(Graph, Deps, Count, genericWork(P), Out); });
}
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode Node, CUgraphNodeParams *P) {
  return driverCall(__func__, [&] { return setNodeWork(Node, genericWork(P)); });
}
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                          CUgraphNodeParams *P) {
  return driverCall(__func__, [&] { return setExecNodeWork(Exec, Node, genericWork(P)); });
}

} // extern "C"
