// Executable graphs: instantiation, update, launch.
// SPDX-License-Identifier: Apache-2.0
#include "device/work/GraphExec.h"

#include "device/graph/GraphRegistry.h"
#include "device/graph/UserObjects.h"
#include "device/memory/MemoryPool.h"
#include "device/stream/Capture.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

/// Appends the operations of \p Graph in a valid order, child graphs unfolded.
void flatten(const CUgraph_st &Graph, std::vector<Op> &Out, std::vector<StreamPoint> &After) {
  std::vector<CUgraphNode> Sorted;
  sortNodes(Graph, Sorted);
  for (CUgraphNode Node : Sorted) {
    if (!Node->Enabled)
      continue;
    if (auto *Child = std::get_if<ChildOp>(&Node->Work)) {
      flatten(*Child->Graph, Out, After);
      continue;
    }
    Op Work = Node->Work;
    if (auto *Record = std::get_if<RecordOp>(&Work)) {
      Record->Record = std::make_shared<EventRecord>();
      Record->Event->Record = Record->Record;
    }
    if (auto *Wait = std::get_if<WaitOp>(&Work))
      if (Wait->Event->Record && !Wait->Event->Record->Done)
        After.push_back(Wait->Event->Record->Point);
    if (auto *Alloc = std::get_if<AllocOp>(&Work))
      publishGraphMemory(state(), Alloc->Memory);
    Out.push_back(std::move(Work));
  }
}

bool usesDeadEvent(State &S, const CUgraph_st &Graph) {
  return std::any_of(Graph.Nodes.begin(), Graph.Nodes.end(), [&](auto &Node) {
    if (auto *Child = std::get_if<ChildOp>(&Node->Work))
      return usesDeadEvent(S, *Child->Graph);
    if (auto *Record = std::get_if<RecordOp>(&Node->Work))
      return S.Events.count(Record->Event) == 0;
    if (auto *Wait = std::get_if<WaitOp>(&Node->Work))
      return S.Events.count(Wait->Event) == 0;
    return false;
  });
}

/// The executable's copy of a node of its source graph; null when it has none.
CUgraphNode ownCopy(CUgraphExec Exec, CUgraphNode Node) {
  auto Found = Exec->FromOriginal.find(Node);
  return Found == Exec->FromOriginal.end() ? nullptr : Found->second;
}

CUresult failUpdate(CUgraphExecUpdateResultInfo *Info, CUgraphExecUpdateResult Why,
                    CUgraphNode Node) {
  if (Info) {
    Info->result = Why;
    Info->errorNode = Node;
    Info->errorFromNode = nullptr;
  }
  return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

} // namespace

CUresult instantiate(CUcontext Context, CUgraph Graph, uint64_t Flags, CUgraphExec *Out) {
  constexpr uint64_t Known =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
      CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  Lock L(state().M);
  if (!Out || !isGraph(Graph) || (Flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> Sorted;
  if (!sortNodes(*Graph, Sorted))
    return CUDA_ERROR_INVALID_VALUE;
  auto *Exec = new CUgraphExec_st;
  Exec->Graph = cloneGraph(*Graph, Exec->FromOriginal);
  Exec->Flags = Flags;
  Exec->Context = Context;
  graphRegistry().Execs.insert(Exec);
  *Out = Exec;
  return CUDA_SUCCESS;
}

CUresult destroyExec(CUgraphExec Exec) {
  std::vector<CUuserObject> Dead;
  {
    Lock L(state().M);
    if (!isExec(Exec))
      return CUDA_ERROR_INVALID_VALUE;
    graphRegistry().Execs.erase(Exec);
    delete Exec;
    Dead.swap(graphRegistry().DeadObjects);
  }
  runDestructors(Dead);
  return CUDA_SUCCESS;
}

CUresult setExecNodeWork(CUgraphExec Exec, CUgraphNode Node, NodeWork Made) {
  if (Made.Error)
    return Made.Error;
  State &S = state();
  Lock L(S.M);
  if (!isExec(Exec))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNode Own = ownCopy(Exec, Node);
  if (!Own || Own->Work.index() != Made.Work.index())
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = checkNode(S, Made.Work))
    return R;
  if (auto *Child = std::get_if<ChildOp>(&Made.Work)) {
    std::map<CUgraphNode, CUgraphNode> Map;
    Child->Graph = cloneGraph(*Child->Graph, Map);
  }
  Own->Work = std::move(Made.Work);
  return CUDA_SUCCESS;
}

CUresult enableExecNode(CUgraphExec Exec, CUgraphNode Node, const bool *Set, unsigned *Get) {
  Lock L(state().M);
  CUgraphNode Own = isExec(Exec) ? ownCopy(Exec, Node) : nullptr;
  if (!Own || (!Set && !Get))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeType Type = nodeType(*Own);
  if (Type != CU_GRAPH_NODE_TYPE_KERNEL && Type != CU_GRAPH_NODE_TYPE_MEMCPY &&
      Type != CU_GRAPH_NODE_TYPE_MEMSET)
    return CUDA_ERROR_INVALID_VALUE;
  if (Set)
    Own->Enabled = *Set;
  if (Get)
    *Get = Own->Enabled;
  return CUDA_SUCCESS;
}

CUresult updateExec(CUgraphExec Exec, CUgraph Graph, CUgraphExecUpdateResultInfo *Info) {
  Lock L(state().M);
  if (!isExec(Exec) || !isGraph(Graph))
    return CUDA_ERROR_INVALID_VALUE;
  auto &Own = Exec->Graph->Nodes;
  if (Own.size() != Graph->Nodes.size())
    return failUpdate(Info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr);
  std::map<CUgraphNode, CUgraphNode> Pairs;
  for (size_t I = 0; I < Own.size(); ++I)
    Pairs[Graph->Nodes[I].get()] = Own[I].get();
  for (auto &Pair : Pairs) {
    if (Pair.first->Work.index() != Pair.second->Work.index())
      return failUpdate(Info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, Pair.first);
    std::set<CUgraphNode> Wanted, Present(Pair.second->Deps.begin(), Pair.second->Deps.end());
    for (CUgraphNode Dep : Pair.first->Deps)
      Wanted.insert(Pairs[Dep]);
    if (Wanted != Present)
      return failUpdate(Info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, Pair.first);
  }
  for (auto &Pair : Pairs) {
    if (!std::holds_alternative<ChildOp>(Pair.first->Work))
      Pair.second->Work = Pair.first->Work;
    Exec->FromOriginal[Pair.first] = Pair.second;
  }
  if (Info)
    *Info = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
  return CUDA_SUCCESS;
}

CUresult launchGraph(CUcontext Context, CUgraphExec Exec, CUstream Handle) {
  State &S = state();
  Lock L(S.M);
  if (!isExec(Exec))
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef Stream;
  if (CUresult R = resolveStream(S, Context, Handle, Stream))
    return R;
  if (CUresult R = checkLegacyUse(S, *Stream))
    return R;
  if (usesDeadEvent(S, *Exec->Graph))
    return CUDA_ERROR_INVALID_HANDLE;
  if (Stream->Capture) {
    std::map<CUgraphNode, CUgraphNode> Map;
    return capture(*Stream, ChildOp{cloneGraph(*Exec->Graph, Map)});
  }
  auto Launched = std::make_shared<GraphOp>();
  std::vector<StreamPoint> After;
  flatten(*Exec->Graph, Launched->Nodes, After);
  submit(L, Stream, std::move(Launched), std::move(After));
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
