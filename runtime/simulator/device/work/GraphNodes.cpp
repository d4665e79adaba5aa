// Nodes of graphs with their operations checked.
// SPDX-License-Identifier: Apache-2.0
#include "device/work/GraphNodes.h"

#include "device/kernel/Launch.h"
#include "device/memory/Copy.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace {

bool validDeps(CUgraph graph, const CUgraphNode *deps, size_t count) {
  if (count && !deps)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!isNode(deps[i]) || deps[i]->graph != graph ||
        std::find(deps, deps + i, deps[i]) != deps + i)
      return false;
  return true;
}

} // namespace

CUresult checkNode(State &s, const Op &work) {
  if (auto *copy = std::get_if<CopyOp>(&work))
    return checkCopy(s, copy->params);
  if (auto *set = std::get_if<SetOp>(&work))
    return checkSet(s, *set);
  if (auto *kernel = std::get_if<KernelOp>(&work))
    return checkKernel(s, *kernel);
  if (auto *host = std::get_if<HostOp>(&work))
    return host->params.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  if (auto *record = std::get_if<RecordOp>(&work))
    return s.events.count(record->event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  if (auto *wait = std::get_if<WaitOp>(&work))
    return s.events.count(wait->event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  return CUDA_SUCCESS;
}

CUresult addGraphNode(CUgraph graph, const CUgraphNode *deps, size_t count, NodeWork made,
                      CUgraphNode *out) {
  if (made.error)
    return made.error;
  State &s = state();
  Lock l(s.m);
  if (!out || !isGraph(graph) || !validDeps(graph, deps, count))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = checkNode(s, made.work))
    return r;
  if (auto *child = std::get_if<ChildOp>(&made.work)) {
    if (child->graph.get() == graph)
      return CUDA_ERROR_INVALID_VALUE;
    std::map<CUgraphNode, CUgraphNode> map;
    child->graph = cloneGraph(*child->graph, map);
  }
  *out = addNode(*graph, std::move(made.work), std::vector<CUgraphNode>(deps, deps + count));
  return CUDA_SUCCESS;
}

CUresult setNodeWork(CUgraphNode node, NodeWork made) {
  if (made.error)
    return made.error;
  State &s = state();
  Lock l(s.m);
  if (!isNode(node) || node->work.index() != made.work.index())
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = checkNode(s, made.work))
    return r;
  node->work = std::move(made.work);
  return CUDA_SUCCESS;
}

NodeWork childWork(CUgraph graph) {
  Lock l(state().m);
  if (!isGraph(graph))
    return CUDA_ERROR_INVALID_VALUE;
  // A second owner for the moment of the call.
  return ChildOp{std::shared_ptr<CUgraph_st>(graph, [](CUgraph_st *) {})};
}

} // namespace gpuinstr::sim
