// Launches, events and changes of graphs in attached programs that went unseen.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_WATCHGAPS_H
#define GPUINSTR_AUDIT_WATCHGAPS_H

#include "audit/state/Auditor.h"

namespace gpuinstr::audit {

/// From now on the auditor hears of them: calls/budget/WatchWindows.h.
void noteWatchGaps();
/// Behind the last call of all.
void noteUnseenAtTheEnd();
/// Something ran in nobody knows which stream: it may have read and written any memory, and changed
/// any graph. With the lock held.
void noteAnythingAnywhere(Auditor &a);

} // namespace gpuinstr::audit

#endif
