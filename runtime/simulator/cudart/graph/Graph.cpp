// Graphs: structure, instantiation, launch, user objects.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"

#include "cudart/RuntimeCall.h"
#include "device/graph/GraphQuery.h"
#include "device/graph/UserObjects.h"
#include "device/work/GraphExec.h"

using namespace gpuinstr::sim;

extern "C" {

cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t *out, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext) { return createGraph(flags, out); });
}

cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
  return deviceCall(__func__, [&](CUcontext) { return destroyGraph(graph); });
}

cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph) {
  return deviceCall(__func__, [&](CUcontext) { return cloneGraphHandle(graph, out); });
}

cudaError_t CUDARTAPI cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original,
                                               cudaGraph_t clone) {
  return deviceCall(__func__, [&](CUcontext) { return findInClone(original, clone, out); });
}

cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *out) {
  return deviceCall(__func__, [&](CUcontext) { return typeOfNode(node, out); });
}

cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count) {
  return deviceCall(__func__, [&](CUcontext) { return listNodes(graph, false, out, count); });
}

cudaError_t CUDARTAPI cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *out,
                                            size_t *count) {
  return deviceCall(__func__, [&](CUcontext) { return listNodes(graph, true, out, count); });
}

cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                        cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                        size_t *count) {
  return deviceCall(__func__, [&](CUcontext) {
    CUresult r = listEdges(graph, from, to, count);
    defaultEdges(edges, count);
    return r;
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *out,
                                                   cudaGraphEdgeData *edges, size_t *count) {
  return deviceCall(__func__, [&](CUcontext) {
    CUresult r = listNeighbours(node, true, out, count);
    defaultEdges(edges, count);
    return r;
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *out,
                                                     cudaGraphEdgeData *edges, size_t *count) {
  return deviceCall(__func__, [&](CUcontext) {
    CUresult r = listNeighbours(node, false, out, count);
    defaultEdges(edges, count);
    return r;
  });
}

cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                                               size_t count) {
  return deviceCall(__func__, [&](CUcontext) { return addEdges(graph, from, to, count); });
}

cudaError_t CUDARTAPI cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to,
                                                  const cudaGraphEdgeData *, size_t count) {
  return deviceCall(__func__, [&](CUcontext) { return removeEdges(graph, from, to, count); });
}

cudaError_t CUDARTAPI cudaGraphDestroyNode(cudaGraphNode_t node) {
  return deviceCall(__func__, [&](CUcontext) { return destroyNode(node); });
}

cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                           unsigned long long flags) {
  return deviceCall(__func__, [&](CUcontext c) { return instantiate(c, graph, flags, out); });
}

cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                                    unsigned long long flags) {
  return deviceCall(__func__, [&](CUcontext c) { return instantiate(c, graph, flags, out); });
}

cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *p) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!p)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult r = instantiate(c, graph, p->flags, out);
    p->errNode_out = nullptr;
    p->result_out = r ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return r;
  });
}

cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return deviceCall(__func__, [&](CUcontext) { return destroyExec(exec); });
}

cudaError_t CUDARTAPI cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *out) {
  return deviceCall(__func__, [&](CUcontext) { return execFlags(exec, out); });
}

cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) { return launchGraph(c, exec, stream); });
}

cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return deviceCall(__func__, [&](CUcontext) { return checkExec(exec); });
}

cudaError_t CUDARTAPI cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned) {
  return deviceCall(__func__, [&](CUcontext) { return printDot(graph, path); });
}

cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy,
                                           unsigned references, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext) {
    if (flags != cudaUserObjectNoDestructorSync)
      return CUDA_ERROR_INVALID_VALUE;
    return createUserObject(data, destroy, references, out);
  });
}

cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return deviceCall(__func__, [&](CUcontext) { return retainUserObject(object, count); });
}

cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return deviceCall(__func__, [&](CUcontext) { return releaseUserObject(object, count); });
}

cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                unsigned count, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext) {
    return graphRetain(graph, object, count, flags == cudaGraphUserObjectMove);
  });
}

cudaError_t CUDARTAPI cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned count) {
  return deviceCall(__func__, [&](CUcontext) { return graphRelease(graph, object, count); });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src) {
  return deviceCall(__func__, [&](CUcontext) { return copyNodeAttributes(dst, src); });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                      cudaKernelNodeAttrID attr,
                                                      cudaKernelNodeAttrValue *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return getNodeAttribute(node, attr, reinterpret_cast<CUlaunchAttributeValue *>(out));
  });
}

cudaError_t CUDARTAPI cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                      cudaKernelNodeAttrID attr,
                                                      const cudaKernelNodeAttrValue *value) {
  return deviceCall(__func__, [&](CUcontext) {
    return setNodeAttribute(node, attr, reinterpret_cast<const CUlaunchAttributeValue *>(value));
  });
}

cudaError_t CUDARTAPI cudaDeviceGraphMemTrim(int ordinal) {
  return deviceCall(__func__, [&](CUcontext) { return trimGraphMemory(ordinal); });
}

cudaError_t CUDARTAPI cudaDeviceGetGraphMemAttribute(int ordinal, cudaGraphMemAttributeType attr,
                                                     void *out) {
  return deviceCall(__func__, [&](CUcontext) {
    return graphMemAttribute(ordinal, static_cast<CUgraphMem_attribute>(attr), out);
  });
}

cudaError_t CUDARTAPI cudaDeviceSetGraphMemAttribute(int ordinal, cudaGraphMemAttributeType attr,
                                                     void *value) {
  return deviceCall(__func__, [&](CUcontext) {
    // Only the high-water marks can be set, and only to zero; none are kept.
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!value || !high || *static_cast<uint64_t *>(value) || !isDevice(state(), ordinal))
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
