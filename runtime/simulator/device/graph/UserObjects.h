// User objects: data of the program that graphs keep alive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

namespace gpuinstr::sim {

CUresult createUserObject(void *data, CUhostFn destroy, unsigned references, CUuserObject *out);
CUresult retainUserObject(CUuserObject object, unsigned count);
CUresult releaseUserObject(CUuserObject object, unsigned count);
CUresult graphRetain(CUgraph graph, CUuserObject object, unsigned count, bool move);
CUresult graphRelease(CUgraph graph, CUuserObject object, unsigned count);

/// Runs and deletes user objects without references. Called without the lock.
void runDestructors(const std::vector<CUuserObject> &dead);

} // namespace gpuinstr::sim
