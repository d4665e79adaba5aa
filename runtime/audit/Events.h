// Events, queries and waits of streams: what they tell of what is done, and what comes before what.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_EVENTS_H
#define GPUINSTR_AUDIT_EVENTS_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

void beforeQuery(ThreadAuditState &local);
/// After the query of a stream or an event.
void noteQuery(const Call &call);
/// After an event was recorded, a stream told to wait, or a host function put into it.
void noteStreamCall(const Call &call);

} // namespace gpuinstr::audit

#endif
