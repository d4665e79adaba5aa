// Launches into a capture run nothing: as long as it is sure that they go there, no more is noted
// of them than what the graph will do.
// SPDX-License-Identifier: Apache-2.0
//
// The driver is asked once where they go. Code without instrumentation may end the capture unseen,
// and what is launched into the stream then runs. So the answer is trusted until somebody judges by
// what launches have noted: that call asks again, of its own stream, or takes it that any kernel
// has run meanwhile. An end that is seen proves that the capture was there all along.
#ifndef GPUINSTR_AUDIT_SCHEDULING_CAPTURETRUST_H
#define GPUINSTR_AUDIT_SCHEDULING_CAPTURETRUST_H

#include "audit/ordering/GraphWork.h"
#include <cstdint>

namespace gpuinstr::audit {

struct Auditor;
struct StreamState;

/// A thread launches into the only capture that is open; the driver has just said so. False: what
/// it launches is to be noted as if it ran. With the lock held.
bool trustCapture(Auditor &a, StreamState &stream, uint64_t capture, const ThreadState &thread);
/// What was launched may have run. With the lock held.
void doubtCapture(Auditor &a);

/// Whether the call judges by what launches have noted, or tells that they are done.
bool judgesLaunches(const cuda::CallOperands &operands);
/// Before such a call, while CaptureTrust::isOn(); `ends`: a capture in the stream. Without the
/// lock.
void settleTrust(const ThreadState &thread, uint64_t stream, bool ends);

} // namespace gpuinstr::audit

#endif
