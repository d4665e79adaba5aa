// When a hash may go into a stream, so that nothing ever waits for it that the program waits for.
// SPDX-License-Identifier: Apache-2.0
//
// A hash that waits beside a kernel which fills the device and polls for the host, or for another
// stream, would hold up what that kernel waits for. So a hash goes in only while nothing but copies
// and sets is under way in the context: it is sure to end. Whatever is launched on another stream
// while it still waits is put behind it, on the device: that is sure to start. No call waits.
//
// The call of a single thread that blocks until its hashes are there needs none of this: nobody can
// launch anything meanwhile.
#ifndef GPUINSTR_AUDIT_SCHEDULING_HASHSCHEDULING_H
#define GPUINSTR_AUDIT_SCHEDULING_HASHSCHEDULING_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

// All without the auditor's lock.

/// Whether the call may get hashes, as far as that is known before; learns from the driver what has
/// ended. A blocking call waits here for what it would wait for anyway.
bool mayPlace(Auditor &a, const Call &call, Transfer &t);

/// Puts in the hash of the transfer's ticket. EnqueueResult::Busy: it is not safe.
EnqueueResult place(Auditor &a, const Call &call, Transfer &t, bool after,
                    const cuda::Region &region);

/// CallHooks::mayFill.
bool mayFill(ThreadState &thread, uint64_t stream, bool isIdle);

/// Waits for the hashes of a blocking call.
bool finishPlaced(const Call &call, Transfer &t);

/// At the transfer's end: what has not arrived, and is not expected as an answer, is waited for in
/// the background before its stream counts as free of hashes.
void endPlacing(Auditor &a, const Call &call, Transfer &t);

/// Before memory is freed: whether it still holds what its last repeats are said to have sent.
/// ClosingLooks.cpp.
void lookBeforeFree(Auditor &a, const Call &call, ThreadAuditState &local);

/// What this stream gets next, a kernel or a graph, comes behind the hashes of other streams.
void putBehindHashes(Auditor &a, StreamState &stream, uint64_t handle);

/// With the lock: the answer is expected from now on, by `pending`.
void handOver(Auditor &a, Transfer &t, Pending &pending);

} // namespace gpuinstr::audit

#endif
