// Nodes of graphs: adding, reading, changing.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"
#include "device/graph/Graph.h"
#include "device/kernel/KernelCode.h"

using namespace gpuinstr::sim;

namespace {

Op copyWork(const CUDA_MEMCPY3D &P) { return CopyOp{P, nullptr}; }
Op setWork(const CUDA_MEMSET_NODE_PARAMS &P) {
  SetOp Set;
  Set.Params = P;
  return Set;
}
Op kernelWork(const CUDA_KERNEL_NODE_PARAMS &P) {
  KernelOp Kernel;
  Kernel.Params = P;
  if (!Kernel.Params.func) // A CUkernel is the address of its function.
    Kernel.Params.func = reinterpret_cast<CUfunction>(P.kern);
  keepArguments(Kernel);
  return Kernel;
}
Op hostWork(const CUDA_HOST_NODE_PARAMS &P) {
  HostOp Host;
  Host.Params = P;
  return Host;
}

/// A node of the given parameters; null parameters are refused.
template <typename P, typename F>
CUresult addWork(CUgraph Graph, const CUgraphNode *Deps, size_t Count, const P *Params, F &&Make,
                 CUgraphNode *Out) {
  return Params ? addGraphNode(Graph, Deps, Count, Make(*Params), Out) : CUDA_ERROR_INVALID_VALUE;
}

/// Reads the parameters of a node that must be a \c T.
template <typename T, typename F> CUresult read(CUgraphNode Node, F &&Take) {
  Op Work;
  if (CUresult R = getNodeWork(Node, &Work))
    return R;
  auto *Found = std::get_if<T>(&Work);
  if (!Found)
    return CUDA_ERROR_INVALID_VALUE;
  Take(*Found);
  return CUDA_SUCCESS;
}

CUresult childWork(CUgraph Graph, Op &Out) {
  Lock L(state().M);
  if (!isGraph(Graph))
    return CUDA_ERROR_INVALID_VALUE;
  // A second owner for the moment of the call: adding the node makes a copy.
  Out = ChildOp{std::shared_ptr<CUgraph_st>(Graph, [](CUgraph_st *) {})};
  return CUDA_SUCCESS;
}

/// The generic form of parameters.
CUresult genericWork(const CUgraphNodeParams *P, Op &Out) {
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  switch (P->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    const auto &K = P->kernel;
    Out = kernelWork({K.func, K.gridDimX, K.gridDimY, K.gridDimZ, K.blockDimX, K.blockDimY,
                      K.blockDimZ, K.sharedMemBytes, K.kernelParams, K.extra, K.kern, K.ctx});
    return CUDA_SUCCESS;
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    Out = copyWork(P->memcpy.copyParams);
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    Out = setWork({P->memset.dst, P->memset.pitch, P->memset.value, P->memset.elementSize,
                   P->memset.width, P->memset.height});
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_HOST:
    Out = hostWork({P->host.fn, P->host.userData});
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return childWork(P->graph.graph, Out);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    Out = EmptyOp{};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    Out = WaitOp{P->eventWait.event};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    Out = RecordOp{P->eventRecord.event, nullptr};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    Out = FreeOp{P->free.dptr, nullptr};
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

} // namespace

extern "C" {

CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                      size_t Count, const CUDA_KERNEL_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return addWork(Graph, Deps, Count, P, kernelWork, Out); });
}
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode Node, CUDA_KERNEL_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<KernelOp>(Node, [&](KernelOp &Work) { *Out = Work.Params; })
               : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode Node, const CUDA_KERNEL_NODE_PARAMS *P) {
  return driverCall(
      __func__, [&] { return P ? setNodeWork(Node, kernelWork(*P)) : CUDA_ERROR_INVALID_VALUE; });
}
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                const CUDA_KERNEL_NODE_PARAMS *P) {
  return driverCall(__func__, [&] {
    return P ? setExecNodeWork(Exec, Node, kernelWork(*P)) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                      size_t Count, const CUDA_MEMCPY3D *P, CUcontext) {
  return driverCall(__func__, [&] { return addWork(Graph, Deps, Count, P, copyWork, Out); });
}
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode Node, CUDA_MEMCPY3D *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<CopyOp>(Node, [&](CopyOp &Work) { *Out = Work.Params; })
               : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode Node, const CUDA_MEMCPY3D *P) {
  return driverCall(__func__,
                    [&] { return P ? setNodeWork(Node, copyWork(*P)) : CUDA_ERROR_INVALID_VALUE; });
}
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                const CUDA_MEMCPY3D *P, CUcontext) {
  return driverCall(__func__, [&] {
    return P ? setExecNodeWork(Exec, Node, copyWork(*P)) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                      size_t Count, const CUDA_MEMSET_NODE_PARAMS *P, CUcontext) {
  return driverCall(__func__, [&] { return addWork(Graph, Deps, Count, P, setWork, Out); });
}
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode Node, CUDA_MEMSET_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<SetOp>(Node, [&](SetOp &Work) { *Out = Work.Params; })
               : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode Node, const CUDA_MEMSET_NODE_PARAMS *P) {
  return driverCall(__func__,
                    [&] { return P ? setNodeWork(Node, setWork(*P)) : CUDA_ERROR_INVALID_VALUE; });
}
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                const CUDA_MEMSET_NODE_PARAMS *P, CUcontext) {
  return driverCall(__func__, [&] {
    return P ? setExecNodeWork(Exec, Node, setWork(*P)) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                    size_t Count, const CUDA_HOST_NODE_PARAMS *P) {
  return driverCall(__func__, [&] { return addWork(Graph, Deps, Count, P, hostWork, Out); });
}
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode Node, CUDA_HOST_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<HostOp>(Node, [&](HostOp &Work) { *Out = Work.Params; })
               : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode Node, const CUDA_HOST_NODE_PARAMS *P) {
  return driverCall(__func__,
                    [&] { return P ? setNodeWork(Node, hostWork(*P)) : CUDA_ERROR_INVALID_VALUE; });
}
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                              const CUDA_HOST_NODE_PARAMS *P) {
  return driverCall(__func__, [&] {
    return P ? setExecNodeWork(Exec, Node, hostWork(*P)) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                           size_t Count, CUevent Event) {
  return driverCall(__func__, [&] {
    return addGraphNode(Graph, Deps, Count, RecordOp{Event, nullptr}, Out);
  });
}
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode Node, CUevent *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<RecordOp>(Node, [&](RecordOp &Work) { *Out = Work.Event; })
               : CUDA_ERROR_INVALID_VALUE;
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
    return Out ? read<WaitOp>(Node, [&](WaitOp &Work) { *Out = Work.Event; })
               : CUDA_ERROR_INVALID_VALUE;
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
  return driverCall(__func__, [&] {
    Op Work;
    CUresult R = childWork(Child, Work);
    return R ? R : addGraphNode(Graph, Deps, Count, Work, Out);
  });
}
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode Node, CUgraph *Out) {
  return driverCall(__func__, [&] { return childGraph(Node, Out); });
}
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                                    CUgraph Child) {
  return driverCall(__func__, [&] {
    Op Work;
    CUresult R = childWork(Child, Work);
    return R ? R : setExecNodeWork(Exec, Node, Work);
  });
}
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                       size_t Count, CUdeviceptr Address) {
  return driverCall(__func__, [&] {
    return Address ? addGraphNode(Graph, Deps, Count, FreeOp{Address, nullptr}, Out)
                   : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode Node, CUdeviceptr *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<FreeOp>(Node, [&](FreeOp &Work) { *Out = Work.Address; })
               : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode Node, CUDA_MEM_ALLOC_NODE_PARAMS *Out) {
  return driverCall(__func__, [&] {
    return Out ? read<AllocOp>(Node, [&](AllocOp &Work) { *Out = Work.Memory->Params; })
               : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult CUDAAPI cuGraphAddNode(CUgraphNode *Out, CUgraph Graph, const CUgraphNode *Deps,
                                const CUgraphEdgeData *, size_t Count, CUgraphNodeParams *P) {
  return driverCall(__func__, [&] {
    Op Work;
    CUresult R = genericWork(P, Work);
    return R ? R : addGraphNode(Graph, Deps, Count, Work, Out);
  });
}
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode Node, CUgraphNodeParams *P) {
  return driverCall(__func__, [&] {
    Op Work;
    CUresult R = genericWork(P, Work);
    return R ? R : setNodeWork(Node, Work);
  });
}
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                          CUgraphNodeParams *P) {
  return driverCall(__func__, [&] {
    Op Work;
    CUresult R = genericWork(P, Work);
    return R ? R : setExecNodeWork(Exec, Node, Work);
  });
}

} // extern "C"
