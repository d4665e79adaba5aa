// What a kernel launch may touch: its arguments, read as addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_LAUNCHES_H
#define GPUINSTR_AUDIT_SCHEDULING_LAUNCHES_H

#include "audit/ordering/Ranges.h"
#include "audit/ordering/Streams.h"
#include "calls/threads/Thread.h"

namespace gpuinstr::audit {

/// LaunchHook.
void noteLaunch(ThreadState &thread, const gpuinstr_frame &frame);

/// The one capture that is open began in the stream: launches into it need not ask the driver.
void rememberCapture(LaunchCache &cache, uint64_t stream, const CallCapture &capture);

/// What the handle stands for on this thread. The last two are known without the lock.
inline StreamState &streamOf(ThreadState &thread, uint64_t handle);
__attribute__((noinline)) StreamState *findStream(ThreadState &thread, uint64_t handle);

/// A graph whose kernels are known goes into the stream. Returns the LaunchStamp.
uint64_t noteKnownWork(ThreadState &thread, uint64_t stream, bool mayWait);
/// What a launch with that stamp may do to the allocation.
void touchRange(Range &range, uint8_t access, uint64_t stamp, SiteIndex site);
/// The place's last launch is this one.
void stampLaunch(std::atomic<uint64_t> &place, uint64_t stamp);

/// Something ran on the device of which nothing is known: a graph, a library's call. Any address
/// that it may have got may be read and written; `keeps`: also by what runs later.
void noteUnknownWork(ThreadState &thread, uint64_t stream, bool keeps, bool mayWait = true);

inline StreamState &streamOf(ThreadState &thread, uint64_t handle) {
  const LaunchCache::Stream &stream = thread.launches.stream;
  if (__builtin_expect(stream.handle == handle && stream.state &&
                           stream.generation == Streams::generation.load(),
                       true))
    return *static_cast<StreamState *>(stream.state);
  return *findStream(thread, handle);
}

} // namespace gpuinstr::audit

#endif
