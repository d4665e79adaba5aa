// Executable graphs: instantiation, update, launch.
// SPDX-License-Identifier: Apache-2.0
#include "device/work/GraphExec.h"

#include "device/graph/GraphRegistry.h"
#include "device/graph/UserObjects.h"
#include "device/memory/Copy.h"
#include "device/memory/MemoryPool.h"
#include "device/stream/Capture.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

/// Appends the operations of \p graph in a valid order, child graphs unfolded.
void flatten(const CUgraph_st &graph, std::vector<Op> &out, std::vector<StreamPoint> &after) {
  std::vector<CUgraphNode> sorted;
  sortNodes(graph, sorted);
  for (CUgraphNode node : sorted) {
    if (!node->enabled)
      continue;
    if (auto *child = std::get_if<ChildOp>(&node->work)) {
      flatten(*child->graph, out, after);
      continue;
    }
    Op work = node->work;
    if (auto *record = std::get_if<RecordOp>(&work)) {
      record->record = std::make_shared<EventRecord>();
      record->event->record = record->record;
    }
    if (auto *wait = std::get_if<WaitOp>(&work))
      if (wait->event->record && !wait->event->record->done)
        after.push_back(wait->event->record->point);
    if (auto *alloc = std::get_if<AllocOp>(&work))
      publishGraphMemory(state(), alloc->memory);
    if (Oracle *oracle = Oracle::get()) {
      if (auto *copy = std::get_if<CopyOp>(&work))
        copy->order = oracle->asked(rowsOf(*copy));
      if (auto *set = std::get_if<SetOp>(&work))
        set->order = oracle->asked(rowsOf(*set));
    }
    out.push_back(std::move(work));
  }
}

bool usesDeadEvent(State &s, const CUgraph_st &graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](auto &node) {
    if (auto *child = std::get_if<ChildOp>(&node->work))
      return usesDeadEvent(s, *child->graph);
    if (auto *record = std::get_if<RecordOp>(&node->work))
      return s.events.count(record->event) == 0;
    if (auto *wait = std::get_if<WaitOp>(&node->work))
      return s.events.count(wait->event) == 0;
    return false;
  });
}

/// The executable's copy of a node of its source graph; null when it has none.
CUgraphNode ownCopy(CUgraphExec exec, CUgraphNode node) {
  auto found = exec->fromOriginal.find(node);
  return found == exec->fromOriginal.end() ? nullptr : found->second;
}

CUresult failUpdate(CUgraphExecUpdateResultInfo *info, CUgraphExecUpdateResult why,
                    CUgraphNode node) {
  if (info) {
    info->result = why;
    info->errorNode = node;
    info->errorFromNode = nullptr;
  }
  return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

} // namespace

CUresult instantiate(CUcontext context, CUgraph graph, uint64_t flags, CUgraphExec *out) {
  constexpr uint64_t Known =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
      CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  Lock l(state().m);
  if (!out || !isGraph(graph) || (flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> sorted;
  if (!sortNodes(*graph, sorted))
    return CUDA_ERROR_INVALID_VALUE;
  auto *exec = new CUgraphExec_st;
  exec->graph = cloneGraph(*graph, exec->fromOriginal);
  exec->flags = flags;
  exec->context = context;
  graphRegistry().execs.insert(exec);
  *out = exec;
  return CUDA_SUCCESS;
}

CUresult destroyExec(CUgraphExec exec) {
  std::vector<CUuserObject> dead;
  {
    Lock l(state().m);
    if (!isExec(exec))
      return CUDA_ERROR_INVALID_VALUE;
    graphRegistry().execs.erase(exec);
    delete exec;
    dead.swap(graphRegistry().deadObjects);
  }
  runDestructors(dead);
  return CUDA_SUCCESS;
}

CUresult setExecNodeWork(CUgraphExec exec, CUgraphNode node, NodeWork made) {
  if (made.error)
    return made.error;
  State &s = state();
  Lock l(s.m);
  if (!isExec(exec))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNode own = ownCopy(exec, node);
  if (!own || own->work.index() != made.work.index())
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = checkNode(s, made.work))
    return r;
  if (auto *child = std::get_if<ChildOp>(&made.work)) {
    std::map<CUgraphNode, CUgraphNode> map;
    child->graph = cloneGraph(*child->graph, map);
  }
  own->work = std::move(made.work);
  return CUDA_SUCCESS;
}

CUresult enableExecNode(CUgraphExec exec, CUgraphNode node, const bool *set, unsigned *get) {
  Lock l(state().m);
  CUgraphNode own = isExec(exec) ? ownCopy(exec, node) : nullptr;
  if (!own || (!set && !get))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeType type = nodeType(*own);
  if (type != CU_GRAPH_NODE_TYPE_KERNEL && type != CU_GRAPH_NODE_TYPE_MEMCPY &&
      type != CU_GRAPH_NODE_TYPE_MEMSET)
    return CUDA_ERROR_INVALID_VALUE;
  if (set)
    own->enabled = *set;
  if (get)
    *get = own->enabled;
  return CUDA_SUCCESS;
}

CUresult updateExec(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  Lock l(state().m);
  if (!isExec(exec) || !isGraph(graph))
    return CUDA_ERROR_INVALID_VALUE;
  auto &own = exec->graph->nodes;
  if (own.size() != graph->nodes.size())
    return failUpdate(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr);
  std::map<CUgraphNode, CUgraphNode> pairs;
  for (size_t i = 0; i < own.size(); ++i)
    pairs[graph->nodes[i].get()] = own[i].get();
  for (auto &pair : pairs) {
    if (pair.first->work.index() != pair.second->work.index())
      return failUpdate(info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, pair.first);
    std::set<CUgraphNode> wanted, present(pair.second->deps.begin(), pair.second->deps.end());
    for (CUgraphNode dep : pair.first->deps)
      wanted.insert(pairs[dep]);
    if (wanted != present)
      return failUpdate(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, pair.first);
  }
  for (auto &pair : pairs) {
    if (!std::holds_alternative<ChildOp>(pair.first->work))
      pair.second->work = pair.first->work;
    exec->fromOriginal[pair.first] = pair.second;
  }
  if (info)
    *info = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
  return CUDA_SUCCESS;
}

CUresult launchGraph(CUcontext context, CUgraphExec exec, CUstream handle) {
  State &s = state();
  Lock l(s.m);
  if (!isExec(exec))
    return CUDA_ERROR_INVALID_VALUE;
  StreamRef stream;
  if (CUresult r = resolveStream(s, context, handle, stream))
    return r;
  if (CUresult r = checkLegacyUse(s, *stream))
    return r;
  if (usesDeadEvent(s, *exec->graph))
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    std::map<CUgraphNode, CUgraphNode> map;
    return capture(*stream, ChildOp{cloneGraph(*exec->graph, map)});
  }
  auto launched = std::make_shared<GraphOp>();
  std::vector<StreamPoint> after;
  flatten(*exec->graph, launched->nodes, after);
  submit(l, stream, std::move(launched), std::move(after));
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
