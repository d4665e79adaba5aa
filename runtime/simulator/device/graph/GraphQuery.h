// Reading graphs: lists of nodes and edges, attributes of nodes, DOT files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

namespace gpuinstr::sim {

// The lists follow CUDA's rule: with a null output the count is returned; otherwise at most *Count
// entries are written, the rest is filled with null, and *Count becomes the number written.
CUresult listNodes(CUgraph graph, bool rootsOnly, CUgraphNode *out, size_t *count);
CUresult listEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
/// \p before: the nodes it depends on, else those that depend on it.
CUresult listNeighbours(CUgraphNode node, bool before, CUgraphNode *out, size_t *count);

/// CUDA_ERROR_INVALID_VALUE when it is no executable graph.
CUresult checkExec(CUgraphExec exec);
CUresult trimGraphMemory(int ordinal);

/// \c T is each API's own enumeration.
template <typename T> CUresult typeOfNode(CUgraphNode node, T *out) {
  Lock l(state().m);
  if (!out || !isNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  *out = static_cast<T>(nodeType(*node));
  return CUDA_SUCCESS;
}

/// \c T is each API's own 64-bit integer.
template <typename T> CUresult execFlags(CUgraphExec exec, T *out) {
  Lock l(state().m);
  if (!out || !isExec(exec))
    return CUDA_ERROR_INVALID_VALUE;
  *out = exec->flags;
  return CUDA_SUCCESS;
}

/// Fills in the data of \p count edges: always the default, a full dependency.
template <typename EdgeData> void defaultEdges(EdgeData *edges, const size_t *count) {
  for (size_t i = 0; edges && count && i < *count; ++i)
    edges[i] = {};
}

CUresult copyNodeAttributes(CUgraphNode dst, CUgraphNode src);
CUresult getNodeAttribute(CUgraphNode node, int attr, CUlaunchAttributeValue *out);
CUresult setNodeAttribute(CUgraphNode node, int attr, const CUlaunchAttributeValue *value);

CUresult printDot(CUgraph graph, const char *path);
/// Bytes of live graph memory on a device (all four attributes give the same number).
CUresult graphMemAttribute(int ordinal, CUgraphMem_attribute attr, void *out);

} // namespace gpuinstr::sim
