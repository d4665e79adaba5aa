// The seam between the calls and all that looks at them.
// SPDX-License-Identifier: Apache-2.0
#include "calls/Observer.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "calls/threads/DecodedOperands.h"
#include "cuda/Driver.h"
#include "cuda/errors/ErrorNames.h"
#include <atomic>

namespace gpuinstr {

namespace {
constexpr unsigned MaxObservers = 32;
Observer *Observers[MaxObservers];
unsigned NumObservers = 0;
std::atomic<uint32_t> Muted{0}; ///< bit i: Observers[i]
constexpr unsigned Operations = 64;
/// Bit i: Observers[i] asks for the operation. Written before the first enter.
uint32_t LookersBefore[Operations], LookersAfter[Operations];
static_assert(MaxObservers <= 32, "a bit for each");

void setMuted(const Observer &observer, bool muted) {
  for (unsigned i = 0; i < NumObservers; ++i)
    if (Observers[i] == &observer)
      muted ? Muted.fetch_or(1u << i) : Muted.fetch_and(~(1u << i));
  uint32_t seen;
  do { // another thread's sum may be the older one
    seen = Muted.load();
    uint64_t before = 0, after = 0;
    for (unsigned i = 0; i < NumObservers; ++i)
      if (!(seen >> i & 1)) {
        before |= Observers[i]->asksBefore;
        after |= Observers[i]->asksBefore | Observers[i]->asksAfter;
      }
    ObservedBefore = before; // enter and leave read them meanwhile
    ObservedAfter = after;
  } while (seen != Muted.load());
}

/// Bit i: Observers[i] looks at the operation.
uint32_t lookersAt(const uint32_t (&lookers)[Operations], unsigned op) {
  return lookers[op % Operations] & ~Muted.load(std::memory_order_relaxed);
}

} // namespace

GPUINSTR_HOT uint64_t ticksOf(const Call &call) {
  const RootCall &root = call.thread.root;
  return (root.end ? root.end : ticks()) - root.start;
}

GPUINSTR_HOT const Surroundings &surroundingsOf(const Call &call) {
  Surroundings &known = call.thread.surroundings;
  if (!known.asked)
    known = {true, currentDevice(), currentContext()};
  return known;
}

void addObserver(Observer &observer) {
  if (NumObservers == MaxObservers)
    return;
  for (unsigned op = 0; op < Operations; ++op) {
    LookersBefore[op] |= uint32_t(observer.asksBefore >> op & 1) << NumObservers;
    LookersAfter[op] |= uint32_t(observer.asksAfter >> op & 1) << NumObservers;
  }
  Observers[NumObservers++] = &observer;
  ObservedBefore |= observer.asksBefore;
  ObservedAfter |= observer.asksBefore | observer.asksAfter;
}

void muteObserver(const Observer &observer) { setMuted(observer, true); }

void unmuteObserver(const Observer &observer) {
  setMuted(observer, false);
  forgetAttributions(); // the fast path of launches asks nobody
}

GPUINSTR_HOT void observeBefore(ThreadState &thread, const gpuinstr_frame &frame) {
  UncancelledScope uncancelled;
  BusyScope busy(thread);
  thread.waitedTicks = 0;
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  for (uint32_t left = lookersAt(LookersBefore, operation.op); left; left &= left - 1)
    guarded([&] { Observers[__builtin_ctz(left)]->before(call); });
}

GPUINSTR_HOT void observeAfter(ThreadState &thread, const gpuinstr_frame &frame, int64_t result) {
  BusyScope busy(thread);
  thread.surroundings.asked = false;
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  constexpr uint32_t ReturnsStatus =
      GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;
  if (frame.site->flags & ReturnsStatus)
    call.result = int32_t(result);
  call.failed = isError(call.result, *frame.site);
  if (!call.failed && operation.bytes != UINT64_MAX)
    thread.root.counters->bytes += operation.bytes;
  for (uint32_t left = lookersAt(LookersAfter, operation.op); left; left &= left - 1)
    guarded([&] { Observers[__builtin_ctz(left)]->after(call); });
}

} // namespace gpuinstr
