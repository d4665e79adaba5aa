// Notes in each thread's log what its calls ask of the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_CALLNOTES_H
#define GPUINSTR_TIME_EXACT_CALLNOTES_H

#include "calls/threads/Thread.h"

namespace gpuinstr::timing {

/// Before the first enter: captures are watched.
void addCaptureObserver();
/// Before the process's first CUDA call, and when exact times end.
void startNotes();
void stopNotes();

/// In enter of a call of these operations: notes it in the thread's log.
void beginExact(ThreadState &thread, const gpuinstr_frame &frame);
/// In leave of the call that thread.exact.frame names.
void endExact(ThreadState &thread, bool failed);
/// A thread ends: its log lives until its records have come.
void endExactThread(ThreadState &thread);

} // namespace gpuinstr::timing

#endif
