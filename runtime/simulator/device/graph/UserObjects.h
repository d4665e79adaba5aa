// User objects: data of the program that graphs keep alive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/graph/Graph.h"

namespace gpuinstr::sim {

CUresult createUserObject(void *Data, CUhostFn Destroy, unsigned References, CUuserObject *Out);
CUresult retainUserObject(CUuserObject Object, unsigned Count);
CUresult releaseUserObject(CUuserObject Object, unsigned Count);
CUresult graphRetain(CUgraph Graph, CUuserObject Object, unsigned Count, bool Move);
CUresult graphRelease(CUgraph Graph, CUuserObject Object, unsigned Count);

/// Runs and deletes user objects without references. Called without the lock.
void runDestructors(const std::vector<CUuserObject> &Dead);

} // namespace gpuinstr::sim
