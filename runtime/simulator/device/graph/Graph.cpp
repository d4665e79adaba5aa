// Graphs: nodes, edges, clones.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"

#include "device/graph/GraphRegistry.h"
#include "device/graph/UserObjects.h"

#include <algorithm>

namespace gpuinstr::sim {

GraphRegistry &graphRegistry() {
  static auto *registry = new GraphRegistry;
  return *registry;
}

namespace {

template <typename T> void eraseValue(std::vector<T> &values, const T &value) {
  values.erase(std::remove(values.begin(), values.end(), value), values.end());
}

void connect(CUgraphNode from, CUgraphNode to) {
  to->deps.push_back(from);
  from->dependents.push_back(to);
}

bool connected(CUgraphNode from, CUgraphNode to) {
  return std::find(to->deps.begin(), to->deps.end(), from) != to->deps.end();
}

} // namespace

bool isGraph(CUgraph graph) { return graph && graphRegistry().graphs.count(graph); }
bool isNode(CUgraphNode node) { return node && graphRegistry().nodes.count(node); }
bool isExec(CUgraphExec exec) { return exec && graphRegistry().execs.count(exec); }

std::shared_ptr<CUgraph_st> makeGraph() {
  auto graph = std::make_shared<CUgraph_st>();
  graphRegistry().graphs.insert(graph.get());
  return graph;
}

void publishGraph(std::shared_ptr<CUgraph_st> graph) {
  CUgraph handle = graph.get();
  graphRegistry().owned[handle] = std::move(graph);
}

CUgraphNode addNode(CUgraph_st &graph, Op work, const std::vector<CUgraphNode> &deps) {
  graph.nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode node = graph.nodes.back().get();
  node->graph = &graph;
  node->work = std::move(work);
  for (CUgraphNode dep : deps)
    connect(dep, node);
  graphRegistry().nodes.insert(node);
  return node;
}

std::shared_ptr<CUgraph_st> cloneGraph(const CUgraph_st &graph,
                                       std::map<CUgraphNode, CUgraphNode> &map) {
  auto clone = makeGraph();
  for (auto &node : graph.nodes) {
    Op work = node->work;
    if (auto *child = std::get_if<ChildOp>(&work))
      child->graph = cloneGraph(*child->graph, map);
    CUgraphNode copy = addNode(*clone, std::move(work), {});
    copy->original = node.get();
    copy->attributes = node->attributes;
    copy->enabled = node->enabled;
    map[node.get()] = copy;
  }
  for (auto &node : graph.nodes)
    for (CUgraphNode dep : node->deps)
      connect(map.at(dep), map.at(node.get()));
  for (auto &held : graph.userObjects) {
    held.first->references += held.second;
    clone->userObjects[held.first] = held.second;
  }
  return clone;
}

bool sortNodes(const CUgraph_st &graph, std::vector<CUgraphNode> &sorted) {
  std::map<CUgraphNode, size_t> missing;
  sorted.clear();
  for (auto &node : graph.nodes)
    if (!(missing[node.get()] = node->deps.size()))
      sorted.push_back(node.get());
  for (size_t i = 0; i < sorted.size(); ++i)
    for (CUgraphNode next : sorted[i]->dependents)
      if (--missing[next] == 0)
        sorted.push_back(next);
  return sorted.size() == graph.nodes.size();
}

CUgraphNodeType nodeType(const CUgraphNode_st &node) {
  struct Visitor {
    CUgraphNodeType operator()(const EmptyOp &) { return CU_GRAPH_NODE_TYPE_EMPTY; }
    CUgraphNodeType operator()(const CopyOp &) { return CU_GRAPH_NODE_TYPE_MEMCPY; }
    CUgraphNodeType operator()(const SetOp &) { return CU_GRAPH_NODE_TYPE_MEMSET; }
    CUgraphNodeType operator()(const KernelOp &) { return CU_GRAPH_NODE_TYPE_KERNEL; }
    CUgraphNodeType operator()(const HostOp &) { return CU_GRAPH_NODE_TYPE_HOST; }
    CUgraphNodeType operator()(const RecordOp &) { return CU_GRAPH_NODE_TYPE_EVENT_RECORD; }
    CUgraphNodeType operator()(const WaitOp &) { return CU_GRAPH_NODE_TYPE_WAIT_EVENT; }
    CUgraphNodeType operator()(const AllocOp &) { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
    CUgraphNodeType operator()(const FreeOp &) { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
    CUgraphNodeType operator()(const ValueOp &) { return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP; }
    CUgraphNodeType operator()(const ChildOp &) { return CU_GRAPH_NODE_TYPE_GRAPH; }
    CUgraphNodeType operator()(const std::shared_ptr<GraphOp> &) {
      return CU_GRAPH_NODE_TYPE_GRAPH;
    }
  };
  return std::visit(Visitor{}, node.work);
}

CUresult createGraph(unsigned flags, CUgraph *out) {
  if (!out || flags)
    return CUDA_ERROR_INVALID_VALUE;
  Lock l(state().m);
  auto graph = makeGraph();
  *out = graph.get();
  publishGraph(std::move(graph));
  return CUDA_SUCCESS;
}

CUresult destroyGraph(CUgraph graph) {
  std::vector<CUuserObject> dead;
  {
    Lock l(state().m);
    if (!graphRegistry().owned.count(graph))
      return CUDA_ERROR_INVALID_VALUE;
    graphRegistry().owned.erase(graph);
    dead.swap(graphRegistry().deadObjects);
  }
  runDestructors(dead);
  return CUDA_SUCCESS;
}

CUresult cloneGraphHandle(CUgraph graph, CUgraph *out) {
  Lock l(state().m);
  if (!out || !isGraph(graph))
    return CUDA_ERROR_INVALID_VALUE;
  std::map<CUgraphNode, CUgraphNode> map;
  auto clone = cloneGraph(*graph, map);
  *out = clone.get();
  publishGraph(std::move(clone));
  return CUDA_SUCCESS;
}

CUresult findInClone(CUgraphNode original, CUgraph clone, CUgraphNode *out) {
  Lock l(state().m);
  if (!out || !isGraph(clone))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &node : clone->nodes)
    if (node->original == original) {
      *out = node.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult destroyNode(CUgraphNode node) {
  Lock l(state().m);
  if (!isNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  if (std::holds_alternative<AllocOp>(node->work) || std::holds_alternative<FreeOp>(node->work))
    return CUDA_ERROR_NOT_SUPPORTED;
  for (CUgraphNode dep : node->deps)
    eraseValue(dep->dependents, node);
  for (CUgraphNode next : node->dependents)
    eraseValue(next->deps, node);
  graphRegistry().nodes.erase(node);
  auto &nodes = node->graph->nodes;
  nodes.erase(std::find_if(nodes.begin(), nodes.end(), [&](auto &p) { return p.get() == node; }));
  return CUDA_SUCCESS;
}

CUresult addEdges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  Lock l(state().m);
  if (!isGraph(graph) || (count && (!from || !to)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (!isNode(from[i]) || !isNode(to[i]) || from[i]->graph != graph || to[i]->graph != graph ||
        from[i] == to[i] || connected(from[i], to[i]))
      return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    connect(from[i], to[i]);
  return CUDA_SUCCESS;
}

CUresult removeEdges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  Lock l(state().m);
  if (!isGraph(graph) || (count && (!from || !to)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (!isNode(from[i]) || !isNode(to[i]) || !connected(from[i], to[i]))
      return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    eraseValue(to[i]->deps, from[i]);
    eraseValue(from[i]->dependents, to[i]);
  }
  return CUDA_SUCCESS;
}

CUresult childGraph(CUgraphNode node, CUgraph *out) {
  Lock l(state().m);
  if (!out || !isNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  auto *child = std::get_if<ChildOp>(&node->work);
  if (!child)
    return CUDA_ERROR_INVALID_VALUE;
  *out = child->graph.get();
  return CUDA_SUCCESS;
}

CUresult getNodeWork(CUgraphNode node, Op *out) {
  Lock l(state().m);
  if (!isNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  *out = node->work;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim

CUgraph_st::~CUgraph_st() {
  auto &registry = gpuinstr::sim::graphRegistry();
  for (auto &node : nodes)
    registry.nodes.erase(node.get());
  for (auto &held : userObjects)
    if ((held.first->references -= held.second) == 0)
      registry.deadObjects.push_back(held.first);
  registry.graphs.erase(this);
}
