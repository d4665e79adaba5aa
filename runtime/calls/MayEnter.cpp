// Whether a call that nobody instrumented is looked at, such as the driver's below a library.
// SPDX-License-Identifier: Apache-2.0
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/HotCode.h"
#include "calls/Entry.h"
#include "calls/fast/FastLaunchPath.h"
#include "calls/threads/Thread.h"

namespace gpuinstr {

static __attribute__((noinline)) int mayEnterNow(const ThreadState *thread) {
  if (!thread)
    return !isBackgroundThread();
  if (thread->busy || thread->ours)
    return 0;
  auto stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (uint32_t i = thread->depth; i-- > 0;) {
    const LiveFrame &live = thread->frames[i];
    // Of a library's call nothing more is known than its name: what it does is to be seen.
    if (!wasLeft(live, stack) && live.site->op != GPUINSTR_OP_REGION &&
        live.site->op != GPUINSTR_OP_LIBRARY)
      return 0;
  }
  return 1;
}

GPUINSTR_HOT int mayEnter() {
  const ThreadState *thread = Self;
  // What a call touches in any case; the runtime's own threads make none that repeats.
  if (LIKELY(thread && fastpath::status(*thread) == fastpath::Idle &&
             thread->repeatedCalls.load(std::memory_order_relaxed)))
    return 1;
  return mayEnterNow(thread);
}

GPUINSTR_HOT int callBegins() {
  ThreadState *thread = Self;
  if (UNLIKELY(!thread || fastpath::status(*thread) != fastpath::Idle ||
               !thread->repeatedCalls.load(std::memory_order_relaxed)))
    return mayEnterNow(thread);
  LookCosts &costs = thread->lookCosts;
  costs.looks += 1;
  if (UNLIKELY(--costs.untilMeasured == 0)) {
    costs.untilMeasured = 1; // until one goes the fast way
    costs.askedAt = ticks();
  }
  return 1;
}

} // namespace gpuinstr
