// Which graph handles are valid; guarded by the state's mutex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

#include <unordered_map>
#include <unordered_set>

namespace gpuinstr::sim {

/// Guarded by the state's mutex.
struct GraphRegistry {
  std::unordered_set<CUgraph> graphs; ///< All that live, child graphs and captures included.
  std::unordered_map<CUgraph, std::shared_ptr<CUgraph_st>> owned; ///< Those the program destroys.
  std::unordered_set<CUgraphNode> nodes;
  std::unordered_set<CUgraphExec> execs;
  std::unordered_set<CUuserObject> userObjects;
  std::vector<CUuserObject> deadObjects; ///< Their destructors run when the lock is released.
};
GraphRegistry &graphRegistry();

} // namespace gpuinstr::sim
