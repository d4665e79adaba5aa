// Nodes of graphs with their operations checked, as the calls that add or change them do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

#include <type_traits>

namespace gpuinstr::sim {

/// The operation of a node, or the error of parameters that describe none.
struct NodeWork {
  CUresult Error = CUDA_SUCCESS;
  Op Work;
  NodeWork(CUresult Error) : Error(Error) {}
  template <typename T, typename = std::enable_if_t<!std::is_enum_v<std::decay_t<T>> &&
                                                    std::is_constructible_v<Op, T>>>
  NodeWork(T &&Made) : Work(std::forward<T>(Made)) {}
};

/// Checks the operation of a node that is added or changed. Needs the lock.
CUresult checkNode(State &S, const Op &Work);

CUresult addGraphNode(CUgraph Graph, const CUgraphNode *Deps, size_t Count, NodeWork Made,
                      CUgraphNode *Out);
CUresult setNodeWork(CUgraphNode Node, NodeWork Made);
/// A node that runs \p Graph, of which adding the node makes a copy.
NodeWork childWork(CUgraph Graph);

/// Stores in \p Out what \p Read makes of the operation of a node, which must be a \c T.
template <typename T, typename P, typename F>
CUresult readNode(CUgraphNode Node, P *Out, F &&Read) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  Op Work;
  if (CUresult R = getNodeWork(Node, &Work))
    return R;
  auto *Found = std::get_if<T>(&Work);
  if (!Found)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Read(*Found);
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
