// User objects: data of the program that graphs keep alive.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/UserObjects.h"

#include "device/graph/GraphRegistry.h"

namespace gpuinstr::sim {

void runDestructors(const std::vector<CUuserObject> &Dead) {
  for (CUuserObject Object : Dead) {
    {
      Lock L(state().M);
      graphRegistry().UserObjects.erase(Object);
    }
    Object->Destroy(Object->Data);
    delete Object;
  }
}

CUresult createUserObject(void *Data, CUhostFn Destroy, unsigned References, CUuserObject *Out) {
  if (!Out || !Destroy || !References)
    return CUDA_ERROR_INVALID_VALUE;
  Lock L(state().M);
  *Out = new CUuserObject_st{Data, Destroy, References};
  graphRegistry().UserObjects.insert(*Out);
  return CUDA_SUCCESS;
}

CUresult retainUserObject(CUuserObject Object, unsigned Count) {
  Lock L(state().M);
  if (!Count || !graphRegistry().UserObjects.count(Object))
    return CUDA_ERROR_INVALID_VALUE;
  Object->References += Count;
  return CUDA_SUCCESS;
}

CUresult releaseUserObject(CUuserObject Object, unsigned Count) {
  {
    Lock L(state().M);
    if (!Count || !graphRegistry().UserObjects.count(Object) || Object->References < Count)
      return CUDA_ERROR_INVALID_VALUE;
    if ((Object->References -= Count))
      return CUDA_SUCCESS;
  }
  runDestructors({Object});
  return CUDA_SUCCESS;
}

CUresult graphRetain(CUgraph Graph, CUuserObject Object, unsigned Count, bool Move) {
  Lock L(state().M);
  if (!isGraph(Graph) || !Count || !graphRegistry().UserObjects.count(Object))
    return CUDA_ERROR_INVALID_VALUE;
  if (Move && Object->References < Count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Move)
    Object->References += Count;
  Graph->UserObjects[Object] += Count;
  return CUDA_SUCCESS;
}

CUresult graphRelease(CUgraph Graph, CUuserObject Object, unsigned Count) {
  {
    Lock L(state().M);
    auto Held =
        isGraph(Graph) ? Graph->UserObjects.find(Object) : decltype(Graph->UserObjects.end()){};
    if (!isGraph(Graph) || Held == Graph->UserObjects.end() || !Count || Held->second < Count)
      return CUDA_ERROR_INVALID_VALUE;
    if (!(Held->second -= Count))
      Graph->UserObjects.erase(Held);
  }
  return releaseUserObject(Object, Count);
}

} // namespace gpuinstr::sim
