// Which lines a graph was captured from, where nothing reads its nodes.
// SPDX-License-Identifier: Apache-2.0
//
// With gpu_time=exact CUPTI's records tell the nodes apart (NodeLines.h). Here the handles are
// followed: work is looked at one by one while a capture is open, the capture becomes a graph, that
// an executable graph. Captures that code without instrumentation begins are not known.
#ifndef GPUINSTR_TIME_GRAPHS_GRAPHLINES_H
#define GPUINSTR_TIME_GRAPHS_GRAPHLINES_H

#include "calls/sites/Sites.h"
#include <vector>

namespace gpuinstr::timing {

/// Before the first enter.
void addGraphObservers();

/// The lines that the graphs launched at this site were captured from.
std::vector<SiteIndex> graphLinesOf(SiteIndex site);
/// At a reset: forgets what was launched, not what was captured.
void clearNotedGraphLines();

/// Around fork; in the child its captures are the parent's. To forget them the caller locks, or is
/// alone.
void lockGraphLines();
void unlockGraphLines();
void forgetGraphLines();

} // namespace gpuinstr::timing

#endif
