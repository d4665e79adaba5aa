// Repeats of a copy or set that need no look at its bytes: what is counted of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_REPEATS_REPEATEDTRANSFERS_H
#define GPUINSTR_AUDIT_REPEATS_REPEATEDTRANSFERS_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

/// One call, or several that came directly behind each other.
struct Repeats {
  uint64_t times = 1;
  uint64_t ticks = 0, lastTicks = 0; ///< of all of them; of the last
  Begun begun;                       ///< of rounds the last; of others the first, as all of them
  bool ofRounds = false;             ///< launches came between: see Run.h
};

/// In the leave of one that began on `path`, with the lock held as in the next two: does what
/// meet() and settle() do. False: nothing was done, something is about that only those know.
bool settleRepeat(Auditor &a, ThreadAuditState &local, const TransferFastPath &path,
                  uint64_t ticks);
/// The same of those of a run, at whose begin maySettle() said that there is nothing.
bool maySettle(const Auditor &a, const TransferFastPath &path);
void settleRepeats(Auditor &a, ThreadAuditState &local, const TransferFastPath &path,
                   const Repeats &repeats);

} // namespace gpuinstr::audit

#endif
