// From tallies to grades: what is proven, what is likely, and what is nothing to be told.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_STATE_JUDGEMENTS_H
#define GPUINSTR_AUDIT_STATE_JUDGEMENTS_H

#include "audit/state/TransferHistory.h"
#include "findings/Findings.h"

namespace gpuinstr::audit {

constexpr uint64_t LeastRepeats = 3, LeastReuploads = 2;
constexpr uint64_t LeastBuffer = 256; ///< bytes; what is smaller is a flag or a parameter

/// PATTERNS.md's rule: proven, likely or advice, and for a tally of which nothing is to be said:
/// false. `mayBeProven` is false where code that is not seen may write.
bool judge(const Tally &tally, bool mayBeProven, Grade &grade);
/// The same for what happened once or twice. By default it is told where a call took 1 ms or more,
/// or where it happened to several buffers of a line.
bool judgeOnce(const Tally &tally, uint64_t bytes, bool full, bool mayBeProven, Grade &grade);
/// Three repeats were looked at, or all where there are fewer, or one that changed something.
bool isJudged(const Key &key);

/// Of Key::same, repeats before which nothing may have written, where that is most of them: they
/// are proven for themselves, the others are what they are.
bool isMostlyQuiet(const Key &key);
/// ... of those alone.
Tally quietOf(const Tally &tally);
/// What the host said counts once the device has shown that it said so of the right bytes.
Tally withoutGuesses(const Key &key);

bool mayBeProven(const Key &key);
/// Where kernels could have written what the host sends ever again, the host may be resetting it.
bool mayBeReset(const Key &key);
/// A value that the host asks for after each step, out of a pool's memory that kernels write: that
/// it is the one of the step before is no news.
bool isResult(const Key &key, const Tally &tally);

/// Of repeats that are proven: the ones that were looked at, or lie between two looks. Before the
/// first and behind the last, other bytes may have been sent. Where a download goes, code on the
/// host may write at any time: nothing is known of what lies between two looks.
uint64_t shownRepeats(const Key &key, Pattern pattern, const Tally &tally);
/// Repeats that looks stand for, taken all in all.
uint64_t toldRepeats(const Key &key, Pattern pattern, const Tally &tally);

TransferDirection directionOf(const Key &key);

} // namespace gpuinstr::audit

#endif
