// What a kernel launch may touch: its arguments, read as addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_LAUNCHES_H
#define GPUINSTR_AUDIT_SCHEDULING_LAUNCHES_H

#include "calls/threads/Thread.h"

namespace gpuinstr::audit {

/// LaunchHook.
void noteLaunch(ThreadState &thread, const gpuinstr_frame &frame);

/// Something ran on the device of which nothing is known: a graph, a library's call. Any address
/// that it may have got may be read and written; `keeps`: also by what runs later.
void noteUnknownWork(ThreadState &thread, uint64_t stream, bool keeps);

} // namespace gpuinstr::audit

#endif
