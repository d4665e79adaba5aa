// Executable graphs: instantiation, update, launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/work/GraphNodes.h"

namespace gpuinstr::sim {

CUresult instantiate(CUcontext Context, CUgraph Graph, uint64_t Flags, CUgraphExec *Out);
CUresult destroyExec(CUgraphExec Exec);
/// Sets the operation of the executable's copy of \p Node; the kind must stay.
CUresult setExecNodeWork(CUgraphExec Exec, CUgraphNode Node, NodeWork Made);
CUresult enableExecNode(CUgraphExec Exec, CUgraphNode Node, const bool *Set, unsigned *Get);
/// Takes over the parameters of a graph of the same shape.
CUresult updateExec(CUgraphExec Exec, CUgraph Graph, CUgraphExecUpdateResultInfo *Info);
CUresult launchGraph(CUcontext Context, CUgraphExec Exec, CUstream Stream);

} // namespace gpuinstr::sim
