// Blocks of a grid over threads: in index order, several at a time where they wait for each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exec/block/GridRun.h"

namespace gpuinstr::sim {

/// Runs a grid to its end, on this thread and the pool's. Returns its result.
CUresult runGrid(GridRun &grid);

} // namespace gpuinstr::sim
