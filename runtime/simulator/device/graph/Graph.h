// Graphs: nodes, edges, instantiation, launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/stream/Stream.h"

namespace gpuinstr::sim {
struct UserObject;
}

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

/// A launched graph: its operations in an order that respects every edge.
struct GraphOp {
  std::vector<Op> Nodes;
};

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
/// Checks the operation of a node as the call that makes or changes the node does.
CUresult checkNode(State &S, const Op &Work);

// These take it.
CUresult createGraph(unsigned Flags, CUgraph *Out);
CUresult destroyGraph(CUgraph Graph);
CUresult cloneGraphHandle(CUgraph Graph, CUgraph *Out);
CUresult findInClone(CUgraphNode Original, CUgraph Clone, CUgraphNode *Out);
CUresult addGraphNode(CUgraph Graph, const CUgraphNode *Deps, size_t Count, Op Work,
                      CUgraphNode *Out);
CUresult destroyNode(CUgraphNode Node);
CUresult addEdges(CUgraph Graph, const CUgraphNode *From, const CUgraphNode *To, size_t Count);
CUresult removeEdges(CUgraph Graph, const CUgraphNode *From, const CUgraphNode *To, size_t Count);
CUresult childGraph(CUgraphNode Node, CUgraph *Out);
/// Reads a node's operation; CUDA_ERROR_INVALID_VALUE when it is of another kind than asked.
CUresult getNodeWork(CUgraphNode Node, Op *Out);
CUresult setNodeWork(CUgraphNode Node, Op Work);

CUresult instantiate(CUcontext Context, CUgraph Graph, uint64_t Flags, CUgraphExec *Out);
CUresult destroyExec(CUgraphExec Exec);
/// Sets the operation of the executable's copy of \p Node; the kind must stay.
CUresult setExecNodeWork(CUgraphExec Exec, CUgraphNode Node, Op Work);
CUresult enableExecNode(CUgraphExec Exec, CUgraphNode Node, const bool *Set, unsigned *Get);
/// Takes over the parameters of a graph of the same shape.
CUresult updateExec(CUgraphExec Exec, CUgraph Graph, CUgraphExecUpdateResultInfo *Info);
CUresult launchGraph(CUcontext Context, CUgraphExec Exec, CUstream Stream);

CUresult createUserObject(void *Data, CUhostFn Destroy, unsigned References, CUuserObject *Out);
CUresult retainUserObject(CUuserObject Object, unsigned Count);
CUresult releaseUserObject(CUuserObject Object, unsigned Count);
CUresult graphRetain(CUgraph Graph, CUuserObject Object, unsigned Count, bool Move);
CUresult graphRelease(CUgraph Graph, CUuserObject Object, unsigned Count);

} // namespace gpuinstr::sim
