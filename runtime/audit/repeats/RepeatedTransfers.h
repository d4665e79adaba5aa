// A repeat of a copy or set that needs no look at its bytes: what is counted of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_REPEATS_REPEATEDTRANSFERS_H
#define GPUINSTR_AUDIT_REPEATS_REPEATEDTRANSFERS_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

/// In the leave of one that began on `path`, with the lock held: does what meet() and settle() do.
/// False: nothing was done, something is about that only those know.
bool settleRepeat(Auditor &a, ThreadState &thread, ThreadAuditState &local,
                  const TransferFastPath &path, uint64_t ticks);

} // namespace gpuinstr::audit

#endif
