// Graphs: structure, instantiation, launch, user objects.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"

#include "api/Call.h"
#include "device/graph/GraphQuery.h"
#include "device/graph/UserObjects.h"
#include "device/work/GraphExec.h"

using namespace gpuinstr::sim;

extern "C" {

CUresult CUDAAPI cuGraphCreate(CUgraph *out, unsigned flags) {
  return driverCall(__func__, [&] { return createGraph(flags, out); });
}
CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  return driverCall(__func__, [&] { return destroyGraph(graph); });
}
CUresult CUDAAPI cuGraphClone(CUgraph *out, CUgraph graph) {
  return driverCall(__func__, [&] { return cloneGraphHandle(graph, out); });
}
CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
  return driverCall(__func__, [&] { return findInClone(original, clone, out); });
}
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *out) {
  return driverCall(__func__, [&] { return typeOfNode(node, out); });
}
CUresult CUDAAPI cuGraphGetNodes(CUgraph graph, CUgraphNode *out, size_t *count) {
  return driverCall(__func__, [&] { return listNodes(graph, false, out, count); });
}
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph graph, CUgraphNode *out, size_t *count) {
  return driverCall(__func__, [&] { return listNodes(graph, true, out, count); });
}
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                 CUgraphEdgeData *edges, size_t *count) {
  return driverCall(__func__, [&] {
    CUresult r = listEdges(graph, from, to, count);
    defaultEdges(edges, count);
    return r;
  });
}
CUresult CUDAAPI cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out,
                                            CUgraphEdgeData *edges, size_t *count) {
  return driverCall(__func__, [&] {
    CUresult r = listNeighbours(node, true, out, count);
    defaultEdges(edges, count);
    return r;
  });
}
CUresult CUDAAPI cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *out,
                                              CUgraphEdgeData *edges, size_t *count) {
  return driverCall(__func__, [&] {
    CUresult r = listNeighbours(node, false, out, count);
    defaultEdges(edges, count);
    return r;
  });
}
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                        const CUgraphNode *to, const CUgraphEdgeData *,
                                        size_t count) {
  return driverCall(__func__, [&] { return addEdges(graph, from, to, count); });
}
CUresult CUDAAPI cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                           const CUgraphNode *to, const CUgraphEdgeData *,
                                           size_t count) {
  return driverCall(__func__, [&] { return removeEdges(graph, from, to, count); });
}
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode node) {
  return driverCall(__func__, [&] { return destroyNode(node); });
}

// cuda.h spells this one cuGraphInstantiate.
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
                                             unsigned long long flags) {
  return contextCall(__func__, [&](CUcontext c) { return instantiate(c, graph, flags, out); });
}
CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
                                              CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
  return contextCall(__func__, [&](CUcontext c) {
    if (!p)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult r = instantiate(c, graph, p->flags, out);
    p->hErrNode_out = nullptr;
    p->result_out = r ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return r;
  });
}
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec) {
  return driverCall(__func__, [&] { return destroyExec(exec); });
}
CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *out) {
  return driverCall(__func__, [&] { return execFlags(exec, out); });
}
CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                                   CUgraphExecUpdateResultInfo *info) {
  return driverCall(__func__, [&] { return updateExec(exec, graph, info); });
}
CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return contextCall(__func__, [&](CUcontext c) { return launchGraph(c, exec, stream); });
}
CUresult CUDAAPI cuGraphUpload(CUgraphExec exec, CUstream) {
  return contextCall(__func__, [&](CUcontext) { return checkExec(exec); });
}
CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  return driverCall(__func__, [&] {
    bool set = enabled != 0;
    return enableExecNode(exec, node, &set, nullptr);
  });
}
CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled) {
  return driverCall(__func__, [&] { return enableExecNode(exec, node, nullptr, enabled); });
}
CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned) {
  return driverCall(__func__, [&] { return printDot(graph, path); });
}

CUresult CUDAAPI cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy,
                                    unsigned references, unsigned flags) {
  return driverCall(__func__, [&] {
    if (flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    return createUserObject(data, destroy, references, out);
  });
}
CUresult CUDAAPI cuUserObjectRetain(CUuserObject object, unsigned count) {
  return driverCall(__func__, [&] { return retainUserObject(object, count); });
}
CUresult CUDAAPI cuUserObjectRelease(CUuserObject object, unsigned count) {
  return driverCall(__func__, [&] { return releaseUserObject(object, count); });
}
CUresult CUDAAPI cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                         unsigned flags) {
  return driverCall(__func__, [&] {
    return graphRetain(graph, object, count, flags == CU_GRAPH_USER_OBJECT_MOVE);
  });
}
CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return driverCall(__func__, [&] { return graphRelease(graph, object, count); });
}

CUresult CUDAAPI cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return driverCall(__func__, [&] { return copyNodeAttributes(dst, src); });
}
CUresult CUDAAPI cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attr,
                                               CUkernelNodeAttrValue *out) {
  return driverCall(__func__, [&] { return getNodeAttribute(node, attr, out); });
}
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attr,
                                               const CUkernelNodeAttrValue *value) {
  return driverCall(__func__, [&] { return setNodeAttribute(node, attr, value); });
}

CUresult CUDAAPI cuDeviceGraphMemTrim(CUdevice dev) {
  return driverCall(__func__, [&] { return trimGraphMemory(dev); });
}
CUresult CUDAAPI cuDeviceGetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void *out) {
  return driverCall(__func__, [&] { return graphMemAttribute(dev, attr, out); });
}

} // extern "C"
