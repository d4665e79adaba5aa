// When the calls that attached programs make in great numbers are watched, and when not.
// SPDX-License-Identifier: Apache-2.0
//
// A look at such a call finds its line, and costs some 100 cache lines: more than `budget` where a
// thread does little else. So once a thread has made its first ones, all callbacks around them are
// turned off for most of the time, and on in windows of some milliseconds of random length. What
// is seen in a window stands for the time before it as well.
#ifndef GPUINSTR_CALLS_BUDGET_WATCHWINDOWS_H
#define GPUINSTR_CALLS_BUDGET_WATCHWINDOWS_H

#include "base/SharedHotState.h"
#include "calls/threads/Thread.h"

namespace gpuinstr {

class Part;

/// Odd: calls of GPUINSTR_SITE_FREQUENT go unseen. Each change is another number.
inline constexpr std::atomic<uint32_t> &WatchEpoch = HotState.watchEpoch;
inline bool goUnseen() { return WatchEpoch.load(std::memory_order_relaxed) & 1; }
/// Whether any ever did, or are about to: from then on nobody knows all that runs on the device.
bool everUnseen();

/// gpuinstr_table::watch_frequent.
void watchFrequent(int (*watch)(int on));
/// This thread's looks take more than they may. Costs little where they are wanted already.
void wantWindows(ThreadState &thread);
/// Whether calls of GPUINSTR_SITE_FREQUENT went unseen until now.
bool countsAreEstimates();
/// If calls go unseen now, from here on they do not until the next window has ended.
void endUnseen();
/// The process ends: nothing is turned off or on any more.
void stopWindows();
Part &watchWindowsPart();

/// How often what is seen now is taken to have happened beside, 255 times at most: while calls went
/// unseen.
inline uint32_t unseenLike(ThreadState &thread) {
  const uint32_t each = HotState.unseenForEach.load(std::memory_order_relaxed);
  return __builtin_expect(each == 0, true) ? 0 : (each + (nextRandom(thread) & 0xffff)) >> 16;
}
/// The same of an outermost call.
inline uint32_t drawUnseen(ThreadState &thread, const gpuinstr_site &site) {
  return site.flags & GPUINSTR_SITE_FREQUENT ? unseenLike(thread) : 0;
}

} // namespace gpuinstr

#endif
