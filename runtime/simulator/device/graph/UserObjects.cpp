// User objects: data of the program that graphs keep alive.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/UserObjects.h"

#include "device/graph/GraphRegistry.h"

namespace gpuinstr::sim {

void runDestructors(const std::vector<CUuserObject> &dead) {
  for (CUuserObject object : dead) {
    {
      Lock l(state().m);
      graphRegistry().userObjects.erase(object);
    }
    object->destroy(object->data);
    delete object;
  }
}

CUresult createUserObject(void *data, CUhostFn destroy, unsigned references, CUuserObject *out) {
  if (!out || !destroy || !references)
    return CUDA_ERROR_INVALID_VALUE;
  Lock l(state().m);
  *out = new CUuserObject_st{data, destroy, references};
  graphRegistry().userObjects.insert(*out);
  return CUDA_SUCCESS;
}

CUresult retainUserObject(CUuserObject object, unsigned count) {
  Lock l(state().m);
  if (!count || !graphRegistry().userObjects.count(object))
    return CUDA_ERROR_INVALID_VALUE;
  object->references += count;
  return CUDA_SUCCESS;
}

CUresult releaseUserObject(CUuserObject object, unsigned count) {
  {
    Lock l(state().m);
    if (!count || !graphRegistry().userObjects.count(object) || object->references < count)
      return CUDA_ERROR_INVALID_VALUE;
    if ((object->references -= count))
      return CUDA_SUCCESS;
  }
  runDestructors({object});
  return CUDA_SUCCESS;
}

CUresult graphRetain(CUgraph graph, CUuserObject object, unsigned count, bool move) {
  Lock l(state().m);
  if (!isGraph(graph) || !count || !graphRegistry().userObjects.count(object))
    return CUDA_ERROR_INVALID_VALUE;
  if (move && object->references < count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!move)
    object->references += count;
  graph->userObjects[object] += count;
  return CUDA_SUCCESS;
}

CUresult graphRelease(CUgraph graph, CUuserObject object, unsigned count) {
  {
    Lock l(state().m);
    auto held =
        isGraph(graph) ? graph->userObjects.find(object) : decltype(graph->userObjects.end()){};
    if (!isGraph(graph) || held == graph->userObjects.end() || !count || held->second < count)
      return CUDA_ERROR_INVALID_VALUE;
    if (!(held->second -= count))
      graph->userObjects.erase(held);
  }
  return releaseUserObject(object, count);
}

} // namespace gpuinstr::sim
