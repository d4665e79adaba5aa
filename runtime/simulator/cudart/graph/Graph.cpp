// Graphs: structure, instantiation, launch, user objects.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"

#include "cudart/RuntimeCall.h"
#include "device/graph/GraphQuery.h"
#include "device/graph/UserObjects.h"
#include "device/work/GraphExec.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t *Out, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext) { return createGraph(Flags, Out); });
}

cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t Graph) {
  return deviceCall(__func__, [&](CUcontext) { return destroyGraph(Graph); });
}

cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t *Out, cudaGraph_t Graph) {
  return deviceCall(__func__, [&](CUcontext) { return cloneGraphHandle(Graph, Out); });
}

cudaError_t CUDARTAPI cudaGraphNodeFindInClone(cudaGraphNode_t *Out, cudaGraphNode_t Original,
                                               cudaGraph_t Clone) {
  return deviceCall(__func__, [&](CUcontext) { return findInClone(Original, Clone, Out); });
}

cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t Node, cudaGraphNodeType *Out) {
  return deviceCall(__func__, [&](CUcontext) { return typeOfNode(Node, Out); });
}

cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t Graph, cudaGraphNode_t *Out, size_t *Count) {
  return deviceCall(__func__, [&](CUcontext) { return listNodes(Graph, false, Out, Count); });
}

cudaError_t CUDARTAPI cudaGraphGetRootNodes(cudaGraph_t Graph, cudaGraphNode_t *Out,
                                            size_t *Count) {
  return deviceCall(__func__, [&](CUcontext) { return listNodes(Graph, true, Out, Count); });
}

cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t Graph, cudaGraphNode_t *From,
                                        cudaGraphNode_t *To, cudaGraphEdgeData *Edges,
                                        size_t *Count) {
  return deviceCall(__func__, [&](CUcontext) {
    CUresult R = listEdges(Graph, From, To, Count);
    defaultEdges(Edges, Count);
    return R;
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t Node, cudaGraphNode_t *Out,
                                                   cudaGraphEdgeData *Edges, size_t *Count) {
  return deviceCall(__func__, [&](CUcontext) {
    CUresult R = listNeighbours(Node, true, Out, Count);
    defaultEdges(Edges, Count);
    return R;
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(cudaGraphNode_t Node, cudaGraphNode_t *Out,
                                                     cudaGraphEdgeData *Edges, size_t *Count) {
  return deviceCall(__func__, [&](CUcontext) {
    CUresult R = listNeighbours(Node, false, Out, Count);
    defaultEdges(Edges, Count);
    return R;
  });
}

cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t Graph, const cudaGraphNode_t *From,
                                               const cudaGraphNode_t *To, const cudaGraphEdgeData *,
                                               size_t Count) {
  return deviceCall(__func__, [&](CUcontext) { return addEdges(Graph, From, To, Count); });
}

cudaError_t CUDARTAPI cudaGraphRemoveDependencies(cudaGraph_t Graph, const cudaGraphNode_t *From,
                                                  const cudaGraphNode_t *To,
                                                  const cudaGraphEdgeData *, size_t Count) {
  return deviceCall(__func__, [&](CUcontext) { return removeEdges(Graph, From, To, Count); });
}

cudaError_t CUDARTAPI cudaGraphDestroyNode(cudaGraphNode_t Node) {
  return deviceCall(__func__, [&](CUcontext) { return destroyNode(Node); });
}

cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t *Out, cudaGraph_t Graph,
                                           unsigned long long Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return instantiate(C, Graph, Flags, Out); });
}

cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t *Out, cudaGraph_t Graph,
                                                    unsigned long long Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return instantiate(C, Graph, Flags, Out); });
}

cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t *Out, cudaGraph_t Graph,
                                                     cudaGraphInstantiateParams *P) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!P)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult R = instantiate(C, Graph, P->flags, Out);
    P->errNode_out = nullptr;
    P->result_out = R ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return R;
  });
}

cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  return deviceCall(__func__, [&](CUcontext) { return destroyExec(Exec); });
}

cudaError_t CUDARTAPI cudaGraphExecGetFlags(cudaGraphExec_t Exec, unsigned long long *Out) {
  return deviceCall(__func__, [&](CUcontext) { return execFlags(Exec, Out); });
}

cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) { return launchGraph(C, Exec, Stream); });
}

cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t Exec, cudaStream_t) {
  return deviceCall(__func__, [&](CUcontext) { return checkExec(Exec); });
}

cudaError_t CUDARTAPI cudaGraphDebugDotPrint(cudaGraph_t Graph, const char *Path, unsigned) {
  return deviceCall(__func__, [&](CUcontext) { return printDot(Graph, Path); });
}

cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t *Out, void *Data, cudaHostFn_t Destroy,
                                           unsigned References, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext) {
    if (Flags != cudaUserObjectNoDestructorSync)
      return CUDA_ERROR_INVALID_VALUE;
    return createUserObject(Data, Destroy, References, Out);
  });
}

cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t Object, unsigned Count) {
  return deviceCall(__func__, [&](CUcontext) { return retainUserObject(Object, Count); });
}

cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t Object, unsigned Count) {
  return deviceCall(__func__, [&](CUcontext) { return releaseUserObject(Object, Count); });
}

cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t Graph, cudaUserObject_t Object,
                                                unsigned Count, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext) {
    return graphRetain(Graph, Object, Count, Flags == cudaGraphUserObjectMove);
  });
}

cudaError_t CUDARTAPI cudaGraphReleaseUserObject(cudaGraph_t Graph, cudaUserObject_t Object,
                                                 unsigned Count) {
  return deviceCall(__func__, [&](CUcontext) { return graphRelease(Graph, Object, Count); });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t Dst, cudaGraphNode_t Src) {
  return deviceCall(__func__, [&](CUcontext) { return copyNodeAttributes(Dst, Src); });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetAttribute(cudaGraphNode_t Node,
                                                      cudaKernelNodeAttrID Attr,
                                                      cudaKernelNodeAttrValue *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return getNodeAttribute(Node, Attr, reinterpret_cast<CUlaunchAttributeValue *>(Out));
  });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeSetAttribute(cudaGraphNode_t Node,
                                                      cudaKernelNodeAttrID Attr,
                                                      const cudaKernelNodeAttrValue *Value) {
  return deviceCall(__func__, [&](CUcontext) {
    return setNodeAttribute(Node, Attr, reinterpret_cast<const CUlaunchAttributeValue *>(Value));
  });
}

cudaError_t CUDARTAPI cudaDeviceGraphMemTrim(int Ordinal) {
  return deviceCall(__func__, [&](CUcontext) { return trimGraphMemory(Ordinal); });
}

cudaError_t CUDARTAPI cudaDeviceGetGraphMemAttribute(int Ordinal, cudaGraphMemAttributeType Attr,
                                                     void *Out) {
  return deviceCall(__func__, [&](CUcontext) {
    return graphMemAttribute(Ordinal, static_cast<CUgraphMem_attribute>(Attr), Out);
  });
}

cudaError_t CUDARTAPI cudaDeviceSetGraphMemAttribute(int Ordinal, cudaGraphMemAttributeType Attr,
                                                     void *Value) {
  return deviceCall(__func__, [&](CUcontext) {
    // Only the high-water marks can be set, and only to zero; none are kept.
    bool High = Attr == cudaGraphMemAttrUsedMemHigh || Attr == cudaGraphMemAttrReservedMemHigh;
    if (!Value || !High || *static_cast<uint64_t *>(Value) || !isDevice(state(), Ordinal))
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
