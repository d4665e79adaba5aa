// capture=: records only between cudaProfilerStart and Stop, or inside a named range.
// SPDX-License-Identifier: Apache-2.0
//
// Outside of it the process is paused as by gpuinstr_pause(): calls are neither timed nor counted
// and nothing is found; allocations stay tracked. On all threads alike: a range that one thread
// opens is the others' work as well. Ranges of that name may nest and overlap: recording ends with
// the last of them.
#ifndef GPUINSTR_NVTX_CAPTURERANGE_H
#define GPUINSTR_NVTX_CAPTURERANGE_H

#include "calls/threads/Thread.h"

namespace gpuinstr {

/// gpuinstr_push_range and gpuinstr_pop_range, on this thread, while ranges are looked at. The
/// program's own NVTX ranges: CaptureNvtx.h.
void captureRangePushed(const char *name);
void captureRangePopped();

/// capture=nvtx@NAME: ranges are looked at. Set once, before the first of them.
extern std::atomic<bool> CapturesNamedRange;
inline bool capturesNamedRange() {
  return __builtin_expect(CapturesNamedRange.load(std::memory_order_relaxed), false);
}
/// A range of that name was opened (1) or closed (-1).
void captureOpened(int change);

class Part;
Part &capturePart();

} // namespace gpuinstr

#endif
