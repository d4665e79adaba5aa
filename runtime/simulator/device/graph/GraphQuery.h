// Reading graphs: lists of nodes and edges, attributes of nodes, DOT files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

namespace gpuinstr::sim {

// The lists follow CUDA's rule: with a null output the count is returned; otherwise at most *Count
// entries are written, the rest is filled with null, and *Count becomes the number written.
CUresult listNodes(CUgraph Graph, bool RootsOnly, CUgraphNode *Out, size_t *Count);
CUresult listEdges(CUgraph Graph, CUgraphNode *From, CUgraphNode *To, size_t *Count);
/// \p Before: the nodes it depends on, else those that depend on it.
CUresult listNeighbours(CUgraphNode Node, bool Before, CUgraphNode *Out, size_t *Count);

/// CUDA_ERROR_INVALID_VALUE when it is no executable graph.
CUresult checkExec(CUgraphExec Exec);
CUresult trimGraphMemory(int Ordinal);

/// \c T is each API's own enumeration.
template <typename T> CUresult typeOfNode(CUgraphNode Node, T *Out) {
  Lock L(state().M);
  if (!Out || !isNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  *Out = static_cast<T>(nodeType(*Node));
  return CUDA_SUCCESS;
}

/// \c T is each API's own 64-bit integer.
template <typename T> CUresult execFlags(CUgraphExec Exec, T *Out) {
  Lock L(state().M);
  if (!Out || !isExec(Exec))
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Exec->Flags;
  return CUDA_SUCCESS;
}

/// Fills in the data of \p Count edges: always the default, a full dependency.
template <typename EdgeData> void defaultEdges(EdgeData *Edges, const size_t *Count) {
  for (size_t I = 0; Edges && Count && I < *Count; ++I)
    Edges[I] = {};
}

CUresult copyNodeAttributes(CUgraphNode Dst, CUgraphNode Src);
CUresult getNodeAttribute(CUgraphNode Node, int Attr, CUlaunchAttributeValue *Out);
CUresult setNodeAttribute(CUgraphNode Node, int Attr, const CUlaunchAttributeValue *Value);

CUresult printDot(CUgraph Graph, const char *Path);
/// Bytes of live graph memory on a device (all four attributes give the same number).
CUresult graphMemAttribute(int Ordinal, CUgraphMem_attribute Attr, void *Out);

} // namespace gpuinstr::sim
