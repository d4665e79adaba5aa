// Graphs: nodes, edges, clones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

struct CUgraphNode_st {
  CUgraph graph = nullptr;
  gpuinstr::sim::Op work;
  std::vector<CUgraphNode> deps;       ///< Nodes that run before this one.
  std::vector<CUgraphNode> dependents; ///< Nodes that run after it.
  CUgraphNode original = nullptr;      ///< In a clone or executable graph: what it was made from.
  bool enabled = true;
  std::map<int, CUlaunchAttributeValue> attributes;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes; ///< In the order they were added.
  std::map<CUuserObject, unsigned> userObjects;       ///< References that the graph holds.
  ~CUgraph_st();
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;
  uint64_t flags = 0;
  CUcontext context = nullptr;
  std::map<CUgraphNode, CUgraphNode> fromOriginal; ///< Node of the source graph to ours.
};

struct CUuserObject_st {
  void *data = nullptr;
  CUhostFn destroy = nullptr;
  unsigned references = 0;
};

namespace gpuinstr::sim {

// These need the lock.
std::shared_ptr<CUgraph_st> makeGraph();
/// Makes the handle of a new graph known to the program.
void publishGraph(std::shared_ptr<CUgraph_st> graph);
bool isGraph(CUgraph graph);
bool isNode(CUgraphNode node);
bool isExec(CUgraphExec exec);
CUgraphNode addNode(CUgraph_st &graph, Op work, const std::vector<CUgraphNode> &deps);
std::shared_ptr<CUgraph_st> cloneGraph(const CUgraph_st &graph,
                                       std::map<CUgraphNode, CUgraphNode> &map);
/// Nodes so that each follows all it depends on; false when there is a cycle.
bool sortNodes(const CUgraph_st &graph, std::vector<CUgraphNode> &sorted);
CUgraphNodeType nodeType(const CUgraphNode_st &node);

// These take it.
CUresult createGraph(unsigned flags, CUgraph *out);
CUresult destroyGraph(CUgraph graph);
CUresult cloneGraphHandle(CUgraph graph, CUgraph *out);
CUresult findInClone(CUgraphNode original, CUgraph clone, CUgraphNode *out);
CUresult destroyNode(CUgraphNode node);
CUresult addEdges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult removeEdges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult childGraph(CUgraphNode node, CUgraph *out);
/// Reads a node's operation; CUDA_ERROR_INVALID_VALUE when it is of another kind than asked.
CUresult getNodeWork(CUgraphNode node, Op *out);

} // namespace gpuinstr::sim
