// Exact device times: CUPTI's records joined to the calls that asked for them.
// SPDX-License-Identifier: Apache-2.0
//
// Started before the program's first CUDA call, since CUPTI's first start can stall. Where CUPTI is
// missing, refuses or belongs to another tool, start() says so. Flushing is done by threads of the
// program outside of any lock, and never after CUDA is gone.
#ifndef GPUINSTR_TIME_EXACT_EXACTTIMER_H
#define GPUINSTR_TIME_EXACT_EXACTTIMER_H

#include "calls/threads/Recording.h"
#include "time/common/DeviceTimer.h"

namespace gpuinstr::timing {

DeviceTimer &exactTimer();
bool exactIsOn();

/// The host was busy with CUDA's own start; no matter whether exact times are on.
void addStartUpTime(uint64_t startTicks, uint64_t endTicks);
/// A time that was not recorded has ended; no matter whether exact times are on.
void addPause(const Pause &pause);

} // namespace gpuinstr::timing

#endif
