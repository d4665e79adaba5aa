// Repeats of one copy or set that come directly behind each other.
// SPDX-License-Identifier: Apache-2.0
//
// What settles one touches some forty cache lines, which the driver has evicted since the last one.
// While nothing else happens in between, each of them says the same: so a thread that is alone only
// adds them up, and they are settled together before anyone looks at anything. Who takes the
// auditor's lock does that (AuditMutex), and who looks without: ShortLooks.h, launches.
//
// What was known at the run's begin, and is compared at its end, holds for each repeat in it. Where
// another thread came between after all, that is older than what the calls would have found, which
// is on the safe side: as if each of them had taken all the time.
//
// Rounds: a small download that waits, behind launches of its own stream, as loops ask whether they
// have converged. What those do with the memory is noted at once, as ever; each download finds
// another version than the one before, or each the same.
#ifndef GPUINSTR_AUDIT_REPEATS_RUN_H
#define GPUINSTR_AUDIT_REPEATS_RUN_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

/// Behind a repeat that was settled and came directly behind the last one, with the lock held: the
/// next ones may be a run. `behindLaunch`: but for launches, then of rounds.
void beginRun(const Auditor &a, ThreadAuditState &local, TransferFastPath &path, bool behindLaunch);

/// In the enter of a copy or set, while a run is open: it is the next of it.
bool continueRun(ThreadState &thread, const gpuinstr_frame &frame);
/// In its leave. No: it is to be settled by itself.
enum class Added : uint8_t { No, Yes, ToRounds };
Added addToRun(ThreadState &thread, int32_t result);
/// Where the call is the thread's last one once more, which was added; of rounds, behind launches.
extern const SameLook RunGoesOn, RoundsGoOn;
/// In the leave of one that was added to rounds: the next one may take RoundsGoOn.
void maySameRound(ThreadState &thread, const gpuinstr_frame &frame);
/// In the leave of one that was not added, with the lock held: while it went on somebody had a
/// look, or it failed itself, and what is known from the run's begin is older than the repeats that
/// were settled since. Where those alone came between, that is known anew.
void beginBehindRun(const Auditor &a, const ThreadAuditState &local, TransferFastPath &path);

} // namespace gpuinstr::audit

#endif
