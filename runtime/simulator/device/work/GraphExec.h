// Executable graphs: instantiation, update, launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/work/GraphNodes.h"

namespace gpuinstr::sim {

CUresult instantiate(CUcontext context, CUgraph graph, uint64_t flags, CUgraphExec *out);
CUresult destroyExec(CUgraphExec exec);
/// Sets the operation of the executable's copy of \p node; the kind must stay.
CUresult setExecNodeWork(CUgraphExec exec, CUgraphNode node, NodeWork made);
CUresult enableExecNode(CUgraphExec exec, CUgraphNode node, const bool *set, unsigned *get);
/// Takes over the parameters of a graph of the same shape.
CUresult updateExec(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info);
CUresult launchGraph(CUcontext context, CUgraphExec exec, CUstream stream);

} // namespace gpuinstr::sim
