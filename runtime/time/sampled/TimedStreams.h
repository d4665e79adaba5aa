// Whether sampled device work went to more than one stream, where it may run side by side.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_TIMEDSTREAMS_H
#define GPUINSTR_TIME_SAMPLED_TIMEDSTREAMS_H

#include "calls/threads/Thread.h"

namespace gpuinstr::timing {

/// An operation on this stream of this device was due for timing, timed or not. Devices below 0 and
/// beyond the first 64 are one.
void noteTimedStream(const ThreadState &thread, int device, uint64_t stream);
/// Since the last clearTimedStreams().
bool severalStreamsTimed(int device);
void clearTimedStreams();

} // namespace gpuinstr::timing

#endif
