// What an operation GRAPH_NODE does: its `detail` in plugin/api/CudaApi.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_OPERANDS_GRAPHNODE_H
#define GPUINSTR_CUDA_OPERANDS_GRAPHNODE_H

#include "gpuinstr/abi.h"

namespace gpuinstr::cuda {

enum NodeDetail : unsigned {
  NodeAdded,
  NodeUpdated,
  ExecutableUpdated, ///< a node of it; with SRC all of it
  NodeFrees,
  NodeCopies,
  NodeCopies3D,
  NodeIsEmpty,
  EdgesAdded,
  NodeCallsHost, ///< or may: one that waits for others
  EdgesRemoved,  ///< of a graph, or of what a stream captures: a later node may run first
  NodeOfGraph,
  NodeByStruct ///< any of them: nodeDetail() knows
};

/// One node of an executable graph is changed. `slots`: the site's.
inline bool changesNode(unsigned operation, unsigned detail, uint32_t slots) {
  return operation == GPUINSTR_OP_GRAPH_NODE && detail == ExecutableUpdated &&
         !(slots >> GPUINSTR_SLOT_SRC & 1);
}

} // namespace gpuinstr::cuda

#endif
