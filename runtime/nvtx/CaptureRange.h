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
#include <string>
#include <vector>

namespace gpuinstr {

/// Once, before the first enter. With capture=always nothing is added.
void startCapture();

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

/// What capture= waited for in vain, for coverage.notes.
std::vector<std::string> captureNotes();

/// Around fork. In the child the other threads are gone, and nobody would close their ranges.
void lockCapture();
void unlockCapture();
void forgetOtherCaptures();

} // namespace gpuinstr

#endif
