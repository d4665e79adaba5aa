// Nodes of graphs with their operations checked, as the calls that add or change them do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

#include <type_traits>

namespace gpuinstr::sim {

/// The operation of a node, or the error of parameters that describe none.
struct NodeWork {
  CUresult error = CUDA_SUCCESS;
  Op work;
  NodeWork(CUresult error) : error(error) {}
  template <typename T, typename = std::enable_if_t<!std::is_enum_v<std::decay_t<T>> &&
                                                    std::is_constructible_v<Op, T>>>
  NodeWork(T &&made) : work(std::forward<T>(made)) {}
};

/// Checks the operation of a node that is added or changed. Needs the lock.
CUresult checkNode(State &s, const Op &work);

CUresult addGraphNode(CUgraph graph, const CUgraphNode *deps, size_t count, NodeWork made,
                      CUgraphNode *out);
CUresult setNodeWork(CUgraphNode node, NodeWork made);
/// A node that runs \p graph, of which adding the node makes a copy.
NodeWork childWork(CUgraph graph);

/// Stores in \p out what \p read makes of the operation of a node, which must be a \c T.
template <typename T, typename P, typename F>
CUresult readNode(CUgraphNode node, P *out, F &&read) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  Op work;
  if (CUresult r = getNodeWork(node, &work))
    return r;
  auto *found = std::get_if<T>(&work);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  *out = read(*found);
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
