// capture=: records only between cudaProfilerStart and Stop, or inside a named range.
// SPDX-License-Identifier: Apache-2.0
//
// Outside of it the process is paused as by gpuinstr_pause(): calls are neither timed nor counted
// and nothing is found; allocations stay tracked. On all threads alike: a range that one thread
// opens is the others' work as well. Ranges of that name may nest and overlap: recording ends with
// the last of them.
#ifndef GPUINSTR_CORE_CAPTURERANGE_H
#define GPUINSTR_CORE_CAPTURERANGE_H

#include "core/Thread.h"

namespace gpuinstr::core {

/// Once, before the first enter. With capture=always nothing is added.
void startCapture();

/// gpuinstr_push_range and gpuinstr_pop_range, on this thread.
void captureRangePushed(const char *name);
void captureRangePopped();

/// capture=nvtx@NAME: the program's own NVTX ranges count as well, see CaptureNvtx.h.
bool capturesNamedRange();
/// A range of that name was opened (1) or closed (-1).
void captureOpened(int change);

/// Around fork. In the child the other threads are gone, and nobody would close their ranges.
void lockCapture();
void unlockCapture();
void forgetOtherCaptures();

} // namespace gpuinstr::core

#endif
