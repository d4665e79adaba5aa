// Whether sampled device work went to more than one stream, where it may run side by side.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TIMEDSTREAMS_H
#define GPUINSTR_TIME_TIMEDSTREAMS_H

#include "core/Thread.h"

namespace gpuinstr::timing {

/// An operation on this stream was due for timing, timed or not.
void noteTimedStream(const core::ThreadState &thread, uint64_t stream);
/// Since the last clearTimedStreams().
bool severalStreamsTimed();
void clearTimedStreams();

} // namespace gpuinstr::timing

#endif
