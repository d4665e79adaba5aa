// Turns CUPTI's callbacks around frequent calls off and on while the program makes them.
// SPDX-License-Identifier: Apache-2.0
//
// A callback at the enter whose exit is never called back leaves CUPTI thinking that the thread is
// inside a driver call: it calls back around none of its calls any more (measured, CUPTI of CUDA
// 13.0). So they are turned off only at a moment in which no thread is inside one. Threads say so
// in a word of their own; who enters while they are being turned off prevents it, and who was
// called back a moment before they were off turns them on again. Turning them on needs no such
// care.
#ifndef GPUINSTR_ATTACH_WATCHING_H
#define GPUINSTR_ATTACH_WATCHING_H

#include "attach/AttachedThread.h"

namespace gpuinstr::attach {

enum class Watching : uint32_t {
  On,
  Closing, ///< nobody is to be inside one: who enters prevents it
  Turning, ///< nobody was; who leaves now waits, for callbacks go one after the other
  Off
};
extern std::atomic<Watching> WatchingNow;

/// gpuinstr_table::watch_frequent's.
int watchFrequentCalls(int on);
/// Of all calls, for benchmarks: how many functions are watched now, or were until now.
int watchCalls(bool on);

/// Watching is not On.
void keepWatching();
void waitForClosing();

/// A frequent call is called back.
inline void enterFrequent(AttachedThread &thread) {
  // Before the question, for whoever turns them off asks in the other order.
  thread.inFrequent.store(thread.inFrequent.load(std::memory_order_relaxed) + 1);
  if (UNLIKELY(WatchingNow.load() != Watching::On))
    keepWatching();
}
inline void leaveFrequent(AttachedThread &thread) {
  const unsigned inside = thread.inFrequent.load(std::memory_order_relaxed);
  thread.inFrequent.store(inside ? inside - 1 : 0, std::memory_order_release);
  const Watching now = WatchingNow.load(std::memory_order_relaxed);
  if (UNLIKELY(now == Watching::Closing || now == Watching::Turning))
    waitForClosing();
}

} // namespace gpuinstr::attach

#endif
