// Repeats of a copy whose host side may have something new to say: what says at once that it has
// not.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_REPEATS_BRIEFLOOKS_H
#define GPUINSTR_AUDIT_REPEATS_BRIEFLOOKS_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

/// In the leave of a copy whose path says SourceLook::Briefly, once it is counted; with the lock
/// held. True: all that lookAtSource() would have done. False: nothing was done, that shall look.
bool lookBriefly(Auditor &a, TransferFastPath &path, uint64_t ticks);

} // namespace gpuinstr::audit

#endif
