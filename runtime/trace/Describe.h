// What a record says of a call beside its times.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TRACE_DESCRIBE_H
#define GPUINSTR_TRACE_DESCRIBE_H

#include "calls/threads/Thread.h"
#include "trace/Buffer.h"

namespace gpuinstr::trace {

/// Operation, stream, kernel, bytes and addresses, from the operands. After the call.
void describe(ThreadState &thread, Buffer &buffer, const gpuinstr_frame &frame, bool failed,
              Record &record);

/// For the device work of the call in progress: all but its times, for whoever will know them.
/// False: the trace is off. Inside the call, after the operation.
bool describeCall(ThreadState &thread, const gpuinstr_frame &frame, Record &record);

/// An operation that an event pair timed: `startTicks` when its first event had been recorded, and
/// what passed from there to its start on the device.
void addSampled(Record record, uint64_t startTicks, double afterNs, double ns, double doubtNs);

/// Work of a call that is left out: counted.
void leftOutDevice(SiteIndex site);

/// Times filled in: start and end in ns of CLOCK_MONOTONIC, or ticks with Estimated. Any thread.
void addDevice(const Record &record);

} // namespace gpuinstr::trace

#endif
