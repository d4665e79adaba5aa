// Graphs: nodes, edges, clones.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/Graph.h"

#include "device/graph/GraphRegistry.h"
#include "device/graph/UserObjects.h"

#include <algorithm>

namespace gpuinstr::sim {

GraphRegistry &graphRegistry() {
  static auto *Registry = new GraphRegistry;
  return *Registry;
}

namespace {

template <typename T> void eraseValue(std::vector<T> &Values, const T &Value) {
  Values.erase(std::remove(Values.begin(), Values.end(), Value), Values.end());
}

void connect(CUgraphNode From, CUgraphNode To) {
  To->Deps.push_back(From);
  From->Dependents.push_back(To);
}

bool connected(CUgraphNode From, CUgraphNode To) {
  return std::find(To->Deps.begin(), To->Deps.end(), From) != To->Deps.end();
}

} // namespace

bool isGraph(CUgraph Graph) { return Graph && graphRegistry().Graphs.count(Graph); }
bool isNode(CUgraphNode Node) { return Node && graphRegistry().Nodes.count(Node); }
bool isExec(CUgraphExec Exec) { return Exec && graphRegistry().Execs.count(Exec); }

std::shared_ptr<CUgraph_st> makeGraph() {
  auto Graph = std::make_shared<CUgraph_st>();
  graphRegistry().Graphs.insert(Graph.get());
  return Graph;
}

void publishGraph(std::shared_ptr<CUgraph_st> Graph) {
  CUgraph Handle = Graph.get();
  graphRegistry().Owned[Handle] = std::move(Graph);
}

CUgraphNode addNode(CUgraph_st &Graph, Op Work, const std::vector<CUgraphNode> &Deps) {
  Graph.Nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode Node = Graph.Nodes.back().get();
  Node->Graph = &Graph;
  Node->Work = std::move(Work);
  for (CUgraphNode Dep : Deps)
    connect(Dep, Node);
  graphRegistry().Nodes.insert(Node);
  return Node;
}

std::shared_ptr<CUgraph_st> cloneGraph(const CUgraph_st &Graph,
                                       std::map<CUgraphNode, CUgraphNode> &Map) {
  auto Clone = makeGraph();
  for (auto &Node : Graph.Nodes) {
    Op Work = Node->Work;
    if (auto *Child = std::get_if<ChildOp>(&Work))
      Child->Graph = cloneGraph(*Child->Graph, Map);
    CUgraphNode Copy = addNode(*Clone, std::move(Work), {});
    Copy->Original = Node.get();
    Copy->Attributes = Node->Attributes;
    Copy->Enabled = Node->Enabled;
    Map[Node.get()] = Copy;
  }
  for (auto &Node : Graph.Nodes)
    for (CUgraphNode Dep : Node->Deps)
      connect(Map.at(Dep), Map.at(Node.get()));
  for (auto &Held : Graph.UserObjects) {
    Held.first->References += Held.second;
    Clone->UserObjects[Held.first] = Held.second;
  }
  return Clone;
}

bool sortNodes(const CUgraph_st &Graph, std::vector<CUgraphNode> &Sorted) {
  std::map<CUgraphNode, size_t> Missing;
  Sorted.clear();
  for (auto &Node : Graph.Nodes)
    if (!(Missing[Node.get()] = Node->Deps.size()))
      Sorted.push_back(Node.get());
  for (size_t I = 0; I < Sorted.size(); ++I)
    for (CUgraphNode Next : Sorted[I]->Dependents)
      if (--Missing[Next] == 0)
        Sorted.push_back(Next);
  return Sorted.size() == Graph.Nodes.size();
}

CUgraphNodeType nodeType(const CUgraphNode_st &Node) {
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
  return std::visit(Visitor{}, Node.Work);
}

CUresult createGraph(unsigned Flags, CUgraph *Out) {
  if (!Out || Flags)
    return CUDA_ERROR_INVALID_VALUE;
  Lock L(state().M);
  auto Graph = makeGraph();
  *Out = Graph.get();
  publishGraph(std::move(Graph));
  return CUDA_SUCCESS;
}

CUresult destroyGraph(CUgraph Graph) {
  std::vector<CUuserObject> Dead;
  {
    Lock L(state().M);
    if (!graphRegistry().Owned.count(Graph))
      return CUDA_ERROR_INVALID_VALUE;
    graphRegistry().Owned.erase(Graph);
    Dead.swap(graphRegistry().DeadObjects);
  }
  runDestructors(Dead);
  return CUDA_SUCCESS;
}

CUresult cloneGraphHandle(CUgraph Graph, CUgraph *Out) {
  Lock L(state().M);
  if (!Out || !isGraph(Graph))
    return CUDA_ERROR_INVALID_VALUE;
  std::map<CUgraphNode, CUgraphNode> Map;
  auto Clone = cloneGraph(*Graph, Map);
  *Out = Clone.get();
  publishGraph(std::move(Clone));
  return CUDA_SUCCESS;
}

CUresult findInClone(CUgraphNode Original, CUgraph Clone, CUgraphNode *Out) {
  Lock L(state().M);
  if (!Out || !isGraph(Clone))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &Node : Clone->Nodes)
    if (Node->Original == Original) {
      *Out = Node.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult destroyNode(CUgraphNode Node) {
  Lock L(state().M);
  if (!isNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  if (std::holds_alternative<AllocOp>(Node->Work) || std::holds_alternative<FreeOp>(Node->Work))
    return CUDA_ERROR_NOT_SUPPORTED;
  for (CUgraphNode Dep : Node->Deps)
    eraseValue(Dep->Dependents, Node);
  for (CUgraphNode Next : Node->Dependents)
    eraseValue(Next->Deps, Node);
  graphRegistry().Nodes.erase(Node);
  auto &Nodes = Node->Graph->Nodes;
  Nodes.erase(std::find_if(Nodes.begin(), Nodes.end(), [&](auto &P) { return P.get() == Node; }));
  return CUDA_SUCCESS;
}

CUresult addEdges(CUgraph Graph, const CUgraphNode *From, const CUgraphNode *To, size_t Count) {
  Lock L(state().M);
  if (!isGraph(Graph) || (Count && (!From || !To)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I)
    if (!isNode(From[I]) || !isNode(To[I]) || From[I]->Graph != Graph || To[I]->Graph != Graph ||
        From[I] == To[I] || connected(From[I], To[I]))
      return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I)
    connect(From[I], To[I]);
  return CUDA_SUCCESS;
}

CUresult removeEdges(CUgraph Graph, const CUgraphNode *From, const CUgraphNode *To, size_t Count) {
  Lock L(state().M);
  if (!isGraph(Graph) || (Count && (!From || !To)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I)
    if (!isNode(From[I]) || !isNode(To[I]) || !connected(From[I], To[I]))
      return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I) {
    eraseValue(To[I]->Deps, From[I]);
    eraseValue(From[I]->Dependents, To[I]);
  }
  return CUDA_SUCCESS;
}

CUresult childGraph(CUgraphNode Node, CUgraph *Out) {
  Lock L(state().M);
  if (!Out || !isNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  auto *Child = std::get_if<ChildOp>(&Node->Work);
  if (!Child)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Child->Graph.get();
  return CUDA_SUCCESS;
}

CUresult getNodeWork(CUgraphNode Node, Op *Out) {
  Lock L(state().M);
  if (!isNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Node->Work;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim

CUgraph_st::~CUgraph_st() {
  auto &Registry = gpuinstr::sim::graphRegistry();
  for (auto &Node : Nodes)
    Registry.Nodes.erase(Node.get());
  for (auto &Held : UserObjects)
    if ((Held.first->References -= Held.second) == 0)
      Registry.DeadObjects.push_back(Held.first);
  Registry.Graphs.erase(this);
}
