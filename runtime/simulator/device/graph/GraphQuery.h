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

CUresult copyNodeAttributes(CUgraphNode Dst, CUgraphNode Src);
CUresult getNodeAttribute(CUgraphNode Node, int Attr, CUlaunchAttributeValue *Out);
CUresult setNodeAttribute(CUgraphNode Node, int Attr, const CUlaunchAttributeValue *Value);

CUresult printDot(CUgraph Graph, const char *Path);
/// Bytes of live graph memory on a device (all four attributes give the same number).
CUresult graphMemAttribute(int Ordinal, CUgraphMem_attribute Attr, void *Out);

} // namespace gpuinstr::sim
