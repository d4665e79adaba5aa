// The call that its thread made last, once more: the fast path at its shortest.
// SPDX-License-Identifier: Apache-2.0
//
// A copy directly behind one with the same operands is attributed already, and whoever looks at it
// has only to ask whether anything happened meanwhile (SameLook). One that launches alone have come
// before (`sameInTurn`) is entered likewise, and leaves as others do.
#ifndef GPUINSTR_CALLS_SAMECALLS_H
#define GPUINSTR_CALLS_SAMECALLS_H

#include "base/Clock.h"
#include "calls/CallHooks.h"
#include "calls/budget/WatchWindows.h"
#include "calls/fast/FastPathStates.h"

namespace gpuinstr::fastpath {

/// Whether one look alone has something to see in a call like the last, and which. Null: not so.
inline const SameLook *onlyLook(const LookMemo &looked, const gpuinstr_site &site) {
  constexpr uint32_t Others = ~((1u << SameCall::Slots) - 1);
  if (site.slots & Others || site.flags & GPUINSTR_SITE_FREQUENT)
    return nullptr;
  const SameLook *found = nullptr;
  for (unsigned i = 0; i < looked.numLooks; ++i) {
    const ShortLook &look = looked.look(i);
    if (look.holds)
      continue;
    if (!look.same || found)
      return nullptr;
    found = look.same;
  }
  return found;
}

/// In the leave of an outermost call by a RepeatedCall: the next one may be the same. Said by who
/// has a SameLook at it.
inline void maySame(ThreadState &thread, const gpuinstr_frame &frame) {
  if (status(thread) != Idle)
    return;
  auto &call = reinterpret_cast<RepeatedCall &>(*thread.root.attribution);
  const SameLook *found = onlyLook(call.looked, *frame.site);
  if (!found)
    return;
  for (unsigned i = 0; i < SameCall::Slots; ++i)
    thread.same.slot[i] = frame.slot[i];
  thread.same.call = &call;
  thread.same.look = *found;
  thread.sameInTurn = false;
  setStatus(thread, BehindSame);
}

/// ... behind launches; `look` says whether it is. False: it takes the longer way.
inline bool maySameInTurn(ThreadState &thread, const gpuinstr_frame &frame, const SameLook &look) {
  auto &call = reinterpret_cast<RepeatedCall &>(*thread.root.attribution);
  if (!onlyLook(call.looked, *frame.site))
    return false;
  for (unsigned i = 0; i < SameCall::Slots; ++i)
    thread.same.slot[i] = frame.slot[i];
  thread.same.call = &call;
  thread.same.look = look;
  thread.sameInTurn = true;
  return true;
}

/// Of one at once, what attribute() would write stands there still.
ALWAYS_INLINE bool isSame(const SameCall &same, const gpuinstr_frame &frame) {
  uint64_t different = 0;
  for (unsigned i = 0; i < SameCall::Slots; ++i)
    different |= same.slot[i] ^ frame.slot[i];
  const SiteAttribution &attribution = same.call->attribution;
  return different == 0 && attribution.site == frame.site &&
         attribution.callers == callersOf(frame) &&
         attribution.state == GlobalState.load(std::memory_order_relaxed);
}

/// It is, and its look has nothing to say. False: nothing was done.
ALWAYS_INLINE bool takeSame(ThreadState &thread, const gpuinstr_frame &frame) {
  if (!isSame(thread.same, frame) || // or others went unseen behind it
      UNLIKELY(thread.watchEpoch != WatchEpoch.load(std::memory_order_relaxed)))
    return false;
  SiteCounters &counters = *thread.same.call->attribution.counters;
  const uint32_t countdown = counters.countdown;
  if (UNLIKELY(countdown <= 1) &&
      TimedOperations.load(std::memory_order_relaxed) & opBit(frame.site->op & 63))
    return false; // its turn to be timed
  if (UNLIKELY(!thread.same.look.again(thread)))
    return false;
  if (countdown > 1)
    counters.countdown = countdown - 1;
  return true;
}

/// The first call behind one that maySame(). False: nothing was done.
ALWAYS_INLINE bool enterSame(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  if (!takeSame(thread, *frame))
    return false;
  const RepeatedCall &call = *thread.same.call;
  thread.frames[0] = {frame, frame->site, stack};
  setStatus(thread, Same);
  thread.root.untimed = call.attribution.skip != 0;
  if (!thread.root.untimed)
    thread.root.start = ticks();
  return true;
}

inline void lookAfter(ThreadState &thread, const LookMemo &looked, const gpuinstr_frame &frame,
                      int32_t result) {
  for (unsigned i = 0; i < looked.numLooks; ++i)
    if (auto *after = looked.look(i).after)
      after(thread, frame, result);
}

/// False: it is one of the others by now.
ALWAYS_INLINE bool leaveSame(ThreadState &thread, gpuinstr_frame *frame, int32_t result) {
  if (UNLIKELY(!thread.root.untimed || thread.frames[0].frame != frame || result != 0)) {
    setStatus(thread, Looked);
    return false;
  }
  RepeatedCall &call = *thread.same.call;
  takeForUsual(thread.root, call.looked.usualTicks, 1 + call.looked.usualTicks);
  leaveUntimed(thread, call.attribution);
  setStatus(thread, BehindSame);
  thread.root.counters->bytes += frame->slot[GPUINSTR_SLOT_BYTES];
  if (isCopy(*frame->site))
    noteCopy(thread, *frame, thread.root.end, LastCopy::NotTimed);
  if (UNLIKELY(!thread.same.look.add(thread)))
    lookAfter(thread, call.looked, *frame, result);
  return true;
}

} // namespace gpuinstr::fastpath

#endif
