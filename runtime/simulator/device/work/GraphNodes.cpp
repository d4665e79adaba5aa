// Nodes of graphs with their operations checked.
// SPDX-License-Identifier: Apache-2.0
#include "device/work/GraphNodes.h"

#include "device/kernel/Launch.h"
#include "device/memory/Copy.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

bool validDeps(CUgraph Graph, const CUgraphNode *Deps, size_t Count) {
  if (Count && !Deps)
    return false;
  for (size_t I = 0; I < Count; ++I)
    if (!isNode(Deps[I]) || Deps[I]->Graph != Graph ||
        std::find(Deps, Deps + I, Deps[I]) != Deps + I)
      return false;
  return true;
}

} // namespace

CUresult checkNode(State &S, const Op &Work) {
  if (auto *Copy = std::get_if<CopyOp>(&Work))
    return checkCopy(S, Copy->Params);
  if (auto *Set = std::get_if<SetOp>(&Work))
    return checkSet(S, *Set);
  if (auto *Kernel = std::get_if<KernelOp>(&Work))
    return checkKernel(S, *Kernel);
  if (auto *Host = std::get_if<HostOp>(&Work))
    return Host->Params.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  if (auto *Record = std::get_if<RecordOp>(&Work))
    return S.Events.count(Record->Event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  if (auto *Wait = std::get_if<WaitOp>(&Work))
    return S.Events.count(Wait->Event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  return CUDA_SUCCESS;
}

CUresult addGraphNode(CUgraph Graph, const CUgraphNode *Deps, size_t Count, NodeWork Made,
                      CUgraphNode *Out) {
  if (Made.Error)
    return Made.Error;
  State &S = state();
  Lock L(S.M);
  if (!Out || !isGraph(Graph) || !validDeps(Graph, Deps, Count))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = checkNode(S, Made.Work))
    return R;
  if (auto *Child = std::get_if<ChildOp>(&Made.Work)) {
    if (Child->Graph.get() == Graph)
      return CUDA_ERROR_INVALID_VALUE;
    std::map<CUgraphNode, CUgraphNode> Map;
    Child->Graph = cloneGraph(*Child->Graph, Map);
  }
  *Out = addNode(*Graph, std::move(Made.Work), std::vector<CUgraphNode>(Deps, Deps + Count));
  return CUDA_SUCCESS;
}

CUresult setNodeWork(CUgraphNode Node, NodeWork Made) {
  if (Made.Error)
    return Made.Error;
  State &S = state();
  Lock L(S.M);
  if (!isNode(Node) || Node->Work.index() != Made.Work.index())
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = checkNode(S, Made.Work))
    return R;
  Node->Work = std::move(Made.Work);
  return CUDA_SUCCESS;
}

NodeWork childWork(CUgraph Graph) {
  Lock L(state().M);
  if (!isGraph(Graph))
    return CUDA_ERROR_INVALID_VALUE;
  // A second owner for the moment of the call.
  return ChildOp{std::shared_ptr<CUgraph_st>(Graph, [](CUgraph_st *) {})};
}

} // namespace gpuinstr::sim
