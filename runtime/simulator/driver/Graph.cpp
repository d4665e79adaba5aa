// Graphs: structure, instantiation, launch, user objects.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"

#include "api/Call.h"
#include "device/graph/GraphQuery.h"
#include "device/graph/UserObjects.h"
#include "device/work/GraphExec.h"

using namespace gpuinstr::sim;

extern "C" {

CUresult CUDAAPI cuGraphCreate(CUgraph *Out, unsigned Flags) {
  return driverCall(__func__, [&] { return createGraph(Flags, Out); });
}
CUresult CUDAAPI cuGraphDestroy(CUgraph Graph) {
  return driverCall(__func__, [&] { return destroyGraph(Graph); });
}
CUresult CUDAAPI cuGraphClone(CUgraph *Out, CUgraph Graph) {
  return driverCall(__func__, [&] { return cloneGraphHandle(Graph, Out); });
}
CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode *Out, CUgraphNode Original, CUgraph Clone) {
  return driverCall(__func__, [&] { return findInClone(Original, Clone, Out); });
}
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode Node, CUgraphNodeType *Out) {
  return driverCall(__func__, [&] { return typeOfNode(Node, Out); });
}
CUresult CUDAAPI cuGraphGetNodes(CUgraph Graph, CUgraphNode *Out, size_t *Count) {
  return driverCall(__func__, [&] { return listNodes(Graph, false, Out, Count); });
}
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph Graph, CUgraphNode *Out, size_t *Count) {
  return driverCall(__func__, [&] { return listNodes(Graph, true, Out, Count); });
}
CUresult CUDAAPI cuGraphGetEdges(CUgraph Graph, CUgraphNode *From, CUgraphNode *To,
                                 CUgraphEdgeData *Edges, size_t *Count) {
  return driverCall(__func__, [&] {
    CUresult R = listEdges(Graph, From, To, Count);
    defaultEdges(Edges, Count);
    return R;
  });
}
CUresult CUDAAPI cuGraphNodeGetDependencies(CUgraphNode Node, CUgraphNode *Out,
                                            CUgraphEdgeData *Edges, size_t *Count) {
  return driverCall(__func__, [&] {
    CUresult R = listNeighbours(Node, true, Out, Count);
    defaultEdges(Edges, Count);
    return R;
  });
}
CUresult CUDAAPI cuGraphNodeGetDependentNodes(CUgraphNode Node, CUgraphNode *Out,
                                              CUgraphEdgeData *Edges, size_t *Count) {
  return driverCall(__func__, [&] {
    CUresult R = listNeighbours(Node, false, Out, Count);
    defaultEdges(Edges, Count);
    return R;
  });
}
CUresult CUDAAPI cuGraphAddDependencies(CUgraph Graph, const CUgraphNode *From,
                                        const CUgraphNode *To, const CUgraphEdgeData *,
                                        size_t Count) {
  return driverCall(__func__, [&] { return addEdges(Graph, From, To, Count); });
}
CUresult CUDAAPI cuGraphRemoveDependencies(CUgraph Graph, const CUgraphNode *From,
                                           const CUgraphNode *To, const CUgraphEdgeData *,
                                           size_t Count) {
  return driverCall(__func__, [&] { return removeEdges(Graph, From, To, Count); });
}
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode Node) {
  return driverCall(__func__, [&] { return destroyNode(Node); });
}

// cuda.h spells this one cuGraphInstantiate.
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *Out, CUgraph Graph,
                                             unsigned long long Flags) {
  return contextCall(__func__, [&](CUcontext C) { return instantiate(C, Graph, Flags, Out); });
}
CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec *Out, CUgraph Graph,
                                              CUDA_GRAPH_INSTANTIATE_PARAMS *P) {
  return contextCall(__func__, [&](CUcontext C) {
    if (!P)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult R = instantiate(C, Graph, P->flags, Out);
    P->hErrNode_out = nullptr;
    P->result_out = R ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return R;
  });
}
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec Exec) {
  return driverCall(__func__, [&] { return destroyExec(Exec); });
}
CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec Exec, cuuint64_t *Out) {
  return driverCall(__func__, [&] { return execFlags(Exec, Out); });
}
CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec Exec, CUgraph Graph,
                                   CUgraphExecUpdateResultInfo *Info) {
  return driverCall(__func__, [&] { return updateExec(Exec, Graph, Info); });
}
CUresult CUDAAPI cuGraphLaunch(CUgraphExec Exec, CUstream Stream) {
  return contextCall(__func__, [&](CUcontext C) { return launchGraph(C, Exec, Stream); });
}
CUresult CUDAAPI cuGraphUpload(CUgraphExec Exec, CUstream) {
  return contextCall(__func__, [&](CUcontext) { return checkExec(Exec); });
}
CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec Exec, CUgraphNode Node, unsigned Enabled) {
  return driverCall(__func__, [&] {
    bool Set = Enabled != 0;
    return enableExecNode(Exec, Node, &Set, nullptr);
  });
}
CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec Exec, CUgraphNode Node, unsigned *Enabled) {
  return driverCall(__func__, [&] { return enableExecNode(Exec, Node, nullptr, Enabled); });
}
CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph Graph, const char *Path, unsigned) {
  return driverCall(__func__, [&] { return printDot(Graph, Path); });
}

CUresult CUDAAPI cuUserObjectCreate(CUuserObject *Out, void *Data, CUhostFn Destroy,
                                    unsigned References, unsigned Flags) {
  return driverCall(__func__, [&] {
    if (Flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    return createUserObject(Data, Destroy, References, Out);
  });
}
CUresult CUDAAPI cuUserObjectRetain(CUuserObject Object, unsigned Count) {
  return driverCall(__func__, [&] { return retainUserObject(Object, Count); });
}
CUresult CUDAAPI cuUserObjectRelease(CUuserObject Object, unsigned Count) {
  return driverCall(__func__, [&] { return releaseUserObject(Object, Count); });
}
CUresult CUDAAPI cuGraphRetainUserObject(CUgraph Graph, CUuserObject Object, unsigned Count,
                                         unsigned Flags) {
  return driverCall(__func__, [&] {
    return graphRetain(Graph, Object, Count, Flags == CU_GRAPH_USER_OBJECT_MOVE);
  });
}
CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph Graph, CUuserObject Object, unsigned Count) {
  return driverCall(__func__, [&] { return graphRelease(Graph, Object, Count); });
}

CUresult CUDAAPI cuGraphKernelNodeCopyAttributes(CUgraphNode Dst, CUgraphNode Src) {
  return driverCall(__func__, [&] { return copyNodeAttributes(Dst, Src); });
}
CUresult CUDAAPI cuGraphKernelNodeGetAttribute(CUgraphNode Node, CUkernelNodeAttrID Attr,
                                               CUkernelNodeAttrValue *Out) {
  return driverCall(__func__, [&] { return getNodeAttribute(Node, Attr, Out); });
}
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode Node, CUkernelNodeAttrID Attr,
                                               const CUkernelNodeAttrValue *Value) {
  return driverCall(__func__, [&] { return setNodeAttribute(Node, Attr, Value); });
}

CUresult CUDAAPI cuDeviceGraphMemTrim(CUdevice Dev) {
  return driverCall(__func__, [&] { return trimGraphMemory(Dev); });
}
CUresult CUDAAPI cuDeviceGetGraphMemAttribute(CUdevice Dev, CUgraphMem_attribute Attr, void *Out) {
  return driverCall(__func__, [&] { return graphMemAttribute(Dev, Attr, Out); });
}

} // extern "C"
