// Graphs: nodes, edges, clones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

struct CUgraphNode_st {
  CUgraph Graph = nullptr;
  gpuinstr::sim::Op Work;
  std::vector<CUgraphNode> Deps;       ///< Nodes that run before this one.
  std::vector<CUgraphNode> Dependents; ///< Nodes that run after it.
  CUgraphNode Original = nullptr;      ///< In a clone or executable graph: what it was made from.
  bool Enabled = true;
  std::map<int, CUlaunchAttributeValue> Attributes;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> Nodes; ///< In the order they were added.
  std::map<CUuserObject, unsigned> UserObjects;       ///< References that the graph holds.
  ~CUgraph_st();
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> Graph;
  uint64_t Flags = 0;
  CUcontext Context = nullptr;
  std::map<CUgraphNode, CUgraphNode> FromOriginal; ///< Node of the source graph to ours.
};

struct CUuserObject_st {
  void *Data = nullptr;
  CUhostFn Destroy = nullptr;
  unsigned References = 0;
};

namespace gpuinstr::sim {

// These need the lock.
std::shared_ptr<CUgraph_st> makeGraph();
/// Makes the handle of a new graph known to the program.
void publishGraph(std::shared_ptr<CUgraph_st> Graph);
bool isGraph(CUgraph Graph);
bool isNode(CUgraphNode Node);
bool isExec(CUgraphExec Exec);
CUgraphNode addNode(CUgraph_st &Graph, Op Work, const std::vector<CUgraphNode> &Deps);
std::shared_ptr<CUgraph_st> cloneGraph(const CUgraph_st &Graph,
                                       std::map<CUgraphNode, CUgraphNode> &Map);
/// Nodes so that each follows all it depends on; false when there is a cycle.
bool sortNodes(const CUgraph_st &Graph, std::vector<CUgraphNode> &Sorted);
CUgraphNodeType nodeType(const CUgraphNode_st &Node);

// These take it.
CUresult createGraph(unsigned Flags, CUgraph *Out);
CUresult destroyGraph(CUgraph Graph);
CUresult cloneGraphHandle(CUgraph Graph, CUgraph *Out);
CUresult findInClone(CUgraphNode Original, CUgraph Clone, CUgraphNode *Out);
CUresult destroyNode(CUgraphNode Node);
CUresult addEdges(CUgraph Graph, const CUgraphNode *From, const CUgraphNode *To, size_t Count);
CUresult removeEdges(CUgraph Graph, const CUgraphNode *From, const CUgraphNode *To, size_t Count);
CUresult childGraph(CUgraphNode Node, CUgraph *Out);
/// Reads a node's operation; CUDA_ERROR_INVALID_VALUE when it is of another kind than asked.
CUresult getNodeWork(CUgraphNode Node, Op *Out);

} // namespace gpuinstr::sim
