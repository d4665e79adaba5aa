// The fast path of launches, and of calls that come as often, through enter and leave.
// SPDX-License-Identifier: Apache-2.0
//
// For the calls that programs make most often: k<<<>>>() and other sites without operands, and the
// cudaLaunchKernel inside; launches, events and the like around which nothing stands. What the slow
// path found out about the site stands in a SiteAttribution, of the latter in a RepeatedCall.
// False: nothing was done, the slow path is to be taken. Both leave the same state behind, so that
// a call may enter on one and leave on the other.
#ifndef GPUINSTR_CALLS_FASTLAUNCHPATH_H
#define GPUINSTR_CALLS_FASTLAUNCHPATH_H

#include "base/Clock.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "calls/CallHooks.h"
#include "calls/budget/WatchWindows.h"
#include "calls/fast/SameCalls.h"
#include "cuda/errors/ErrorNames.h"
#include <algorithm>

namespace gpuinstr {

namespace fastpath {

ALWAYS_INLINE void attribute(ThreadState &thread, SiteAttribution &attribution,
                             gpuinstr_frame *frame, uintptr_t stack) {
  RootCall &root = thread.root;
  root.site = attribution.chargedSite;
  root.caller = attribution.chargedCaller;
  root.counters = attribution.counters;
  root.nestedError = 0;
  root.ranged = false;
  root.attribution = &attribution;
  root.untimed = attribution.skip != 0;
  root.unseen = 0;
  thread.frames[0] = {frame, frame->site, stack};
}

/// What the slow path found out about the site of an outermost call without operands, null: nothing
/// that holds.
ALWAYS_INLINE SiteAttribution *attributionFor(ThreadState &thread, const gpuinstr_frame &frame) {
  const uint64_t callers = callersOf(frame);
  SiteAttribution &attribution = attributionOf(thread, frame.site, callers);
  const bool holds = attribution.site == frame.site && attribution.callers == callers &&
                     attribution.state == GlobalState.load(std::memory_order_relaxed);
  return LIKELY(holds) ? &attribution : nullptr;
}

ALWAYS_INLINE bool enterRoot(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  SiteAttribution *attribution = attributionFor(thread, *frame);
  if (UNLIKELY(!attribution))
    return false;
  attribute(thread, *attribution, frame, stack);
  setStatus(thread, Root);
  if (!thread.root.untimed)
    thread.root.start = ticks();
  return true;
}

/// A launch whose turn it is to be timed, or no turn was planned yet.
void dueLaunch(ThreadState &thread, const gpuinstr_frame &frame);

ALWAYS_INLINE void noteLaunch(ThreadState &thread, gpuinstr_frame *frame) {
  if (auto *hook = LaunchHook.load(std::memory_order_acquire))
    hook(thread, *frame);
  SiteCounters &counters = *thread.root.counters;
  uint32_t left = counters.countdown;
  if (LIKELY(left > 1))
    counters.countdown = left - 1;
  else if (UNLIKELY(TimedOperations.load(std::memory_order_relaxed)))
    dueLaunch(thread, *frame);
}

inline bool namesKernel(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_LAUNCH && (site.slots >> GPUINSTR_SLOT_FUNC & 1);
}

ALWAYS_INLINE bool enterLaunch(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  const LiveFrame &outer = thread.frames[0];
  if (UNLIKELY(!namesKernel(*frame->site) || outer.frame == frame ||
               outer.stack - stack > StackReach))
    return false;
  thread.frames[1] = {frame, frame->site, stack};
  setStatus(thread, Nested);
  noteLaunch(thread, frame);
  return true;
}

/// As the slow path does: the gap in which the device had nothing to do ends here.
inline void endDrain(ThreadState &thread) {
  thread.stillDrained = thread.drainedTicks != 0;
  if (!thread.stillDrained)
    return;
  guarded([&] { Hooks.drainEnded(thread); });
  thread.drainedTicks = 0;
}

/// enterRoot() and enterLaunch() at once; what is done here stands before the call's first stamp.
/// `Before`: what the status has to be, Idle or Drained.
template <uint64_t Before = Idle>
ALWAYS_INLINE bool enterBoth(ThreadState &thread, gpuinstr_frame *outer, gpuinstr_frame *inner,
                             uintptr_t stack) {
  constexpr bool EndsDrain = Before == Drained;
  if (UNLIKELY(status(thread) != Before || !namesKernel(*inner->site)))
    return false;
  if (EndsDrain &&
      (outer->site->slots != 0 || thread.watchEpoch != WatchEpoch.load(std::memory_order_relaxed)))
    return false;
  SiteAttribution *attribution = attributionFor(thread, *outer);
  if (UNLIKELY(!attribution))
    return false;
  attribute(thread, *attribution, outer, stack);
  if (EndsDrain)
    endDrain(thread);
  thread.frames[1] = {inner, inner->site, stack};
  setStatus(thread, Nested);
  noteLaunch(thread, inner);
  if (!thread.root.untimed)
    thread.root.start = ticks();
  return true;
}

/// The entry of an outermost call, null: the slow path has to make one. `function`: a launch's, for
/// a line that launches several kernels has an entry for each; else 0.
ALWAYS_INLINE RepeatedCall *entryOf(RepeatedCalls &known, const gpuinstr_frame &frame,
                                    uint64_t function) {
  RepeatedCall *call = known.find(frame.site, callersOf(frame), function);
  bool holds = call && call->attribution.state == GlobalState.load(std::memory_order_relaxed);
  return LIKELY(holds) ? call : nullptr;
}

/// An outermost call begins: those that went unseen before it take no turns.
ALWAYS_INLINE void takeUnseen(ThreadState &thread, const gpuinstr_site &site) {
  thread.root.unseen = uint8_t(drawUnseen(thread, site));
  if (UNLIKELY(thread.root.unseen != 0))
    thread.root.counters->skipTurns(thread.root.unseen);
}
/// It has ended, and they count as its own.
inline void countUnseen(const RootCall &root) {
  if (LIKELY(root.unseen == 0))
    return;
  root.counters->calls += root.unseen;
  root.counters->guessed = true;
}

/// What is known of the call does not change any more before it is made.
ALWAYS_INLINE void startLooked(ThreadState &thread) {
  endDrain(thread);
  setStatus(thread, Looked);
  if (!thread.root.untimed)
    thread.root.start = ticks();
  if (UNLIKELY(thread.lookCosts.askedAt != 0))
    noteLook(thread, ticks());
}

/// One that maySameInTurn(). False: nothing was done.
ALWAYS_INLINE bool enterSameInTurn(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  if (!takeSame(thread, *frame))
    return false;
  attribute(thread, thread.same.call->attribution, frame, stack);
  startLooked(thread);
  return true;
}

/// An outermost call with operands that is no launch. `thread` has made a RepeatedCall before.
GPUINSTR_HOT __attribute__((noinline)) inline bool
enterLooked(ThreadState &thread, RepeatedCalls &known, gpuinstr_frame *frame, uintptr_t stack) {
  if (thread.sameInTurn && enterSameInTurn(thread, frame, stack))
    return true;
  if (!mayRepeat(*frame->site) ||
      UNLIKELY(thread.watchEpoch != WatchEpoch.load(std::memory_order_relaxed)))
    return false;
  RepeatedCall *call = entryOf(known, *frame, 0);
  if (UNLIKELY(!call))
    return false;
  SiteCounters &counters = *call->attribution.counters;
  const bool takesTurns = call->looked.takesTurns;
  if (takesTurns &&
      UNLIKELY(counters.countdown <= 1 &&
               TimedOperations.load(std::memory_order_relaxed) & opBit(frame->site->op & 63)))
    return false; // its turn to be timed
  if (call->attribution.weight > 1 &&
      UNLIKELY(frame->slot[GPUINSTR_SLOT_BYTES] >> call->looked.usualBits) &&
      goesLongWay(*call, frame->slot[GPUINSTR_SLOT_BYTES]))
    return false;
  attribute(thread, call->attribution, frame, stack);
  takeUnseen(thread, *frame->site);
  for (unsigned i = 0; i < call->looked.numLooks; ++i)
    if (UNLIKELY(!call->looked.look(i).before(thread, *frame)))
      return false;
  if (takesTurns && counters.countdown > 1)
    counters.countdown = counters.countdown - 1;
  startLooked(thread);
  return true;
}

/// One that is a launch.
GPUINSTR_HOT inline bool enterAlone(ThreadState &thread, RepeatedCalls &known,
                                    gpuinstr_frame *frame, uintptr_t stack) {
  RepeatedCall *launch = entryOf(known, *frame, frame->slot[GPUINSTR_SLOT_FUNC]);
  if (UNLIKELY(!launch))
    return false;
  attribute(thread, launch->attribution, frame, stack);
  takeUnseen(thread, *frame->site);
  setStatus(thread, Alone);
  noteLaunch(thread, frame);
  if (!thread.root.untimed) // and not what was done here so far
    thread.root.start = ticks();
  if (UNLIKELY(thread.lookCosts.askedAt != 0))
    noteLook(thread, ticks());
  return true;
}

/// An outermost call without operands. `calls`: null where there are none.
ALWAYS_INLINE bool enterPlain(ThreadState &thread, RepeatedCalls *calls, gpuinstr_frame *frame,
                              uintptr_t stack) {
  if (LIKELY(enterRoot(thread, frame, stack)))
    return true;
  return calls && enterLooked(thread, *calls, frame, stack); // cudaDeviceSynchronize
}

ALWAYS_INLINE bool enterOutermost(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  // Only then is the site looked at: k<<<>>>() does without.
  auto *calls = thread.repeatedCalls.load(std::memory_order_relaxed);
  if (LIKELY(!calls || frame->site->slots == 0))
    return enterPlain(thread, calls, frame, stack);
  return isLaunch(*frame->site) ? enterAlone(thread, *calls, frame, stack)
                                : enterLooked(thread, *calls, frame, stack);
}

/// The device had nothing to do until now. A launch with operands goes the slow way once.
GPUINSTR_HOT __attribute__((noinline)) inline bool
enterDrained(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  const bool isWatched = thread.watchEpoch == WatchEpoch.load(std::memory_order_relaxed);
  if (frame->site->slots == 0 && isWatched && enterRoot(thread, frame, stack)) {
    endDrain(thread);
    if (!thread.root.untimed)
      thread.root.start = ticks();
    return true;
  }
  auto *calls = thread.repeatedCalls.load(std::memory_order_relaxed);
  return calls && enterLooked(thread, *calls, frame, stack);
}

/// A function of its own keeps what it needs out of the shorter one's registers.
GPUINSTR_HOT __attribute__((noinline)) inline bool
enterAnother(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  setStatus(thread, Idle);
  return enterOutermost(thread, frame, stack);
}

GPUINSTR_HOT __attribute__((noinline)) inline bool
enterBehindSame(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  return LIKELY(enterSame(thread, frame, stack)) || enterAnother(thread, frame, stack);
}

ALWAYS_INLINE bool enter(ThreadState &thread, gpuinstr_frame *frame, uintptr_t stack) {
  uint64_t word = status(thread);
  if (word == Idle)
    return enterOutermost(thread, frame, stack);
  if (LIKELY(word == Root))
    return enterLaunch(thread, frame, stack);
  if (word == BehindSame)
    return enterBehindSame(thread, frame, stack);
  return word == Drained && enterDrained(thread, frame, stack);
}

/// The outermost call has ended, and was timed. `unseen`: calls that it stands for as well.
ALWAYS_INLINE void noteDuration(ThreadState &thread, SiteAttribution &attribution, uint64_t end,
                                uint32_t unseen = 0) {
  setStatus(thread, Idle);
  const RootCall &root = thread.root;
  uint32_t number = thread.numDurations;
  Duration &duration = thread.durations[number];
  duration.counters = root.counters;
  uint64_t took = LIKELY(end > root.start) ? end - root.start : 0;
  duration.ticks = took;
  duration.weight = attribution.weight * (1 + unseen);
  thread.numDurations = number + 1;
  attribution.blockTicks += took * (1 + unseen);
  if (UNLIKELY(--attribution.left == 0))
    endBlock(thread, attribution, end);
  if (UNLIKELY(number + 1 == ThreadState::Durations))
    flushAndPlan(thread, end);
}

ALWAYS_INLINE void noteUsual(RepeatedCall &call, const RootCall &root, uint64_t bytes) {
  call.looked.noteUsual(root.end > root.start ? root.end - root.start : 0);
  if (UNLIKELY(call.attribution.left == 1))
    call.looked.noteUsualBytes(bytes);
}

/// A query's answer is no error.
GPUINSTR_HOT __attribute__((noinline)) inline bool
leaveLooked(ThreadState &thread, gpuinstr_frame *frame, int32_t result) {
  if (UNLIKELY(thread.frames[0].frame != frame || (result != 0 && result != ErrorNotReady)))
    return false;
  auto &call = reinterpret_cast<RepeatedCall &>(*thread.root.attribution);
  countUnseen(thread.root);
  uint64_t copyEnd = LastCopy::NotTimed;
  if (thread.root.untimed) {
    takeForUsual(thread.root, call.looked.usualTicks, 1 + call.looked.usualTicks);
    leaveUntimed(thread, call.attribution);
  } else {
    copyEnd = thread.root.end = ticks();
    if (call.looked.movesBytes)
      noteUsual(call, thread.root, frame->slot[GPUINSTR_SLOT_BYTES]);
    noteDuration(thread, call.attribution, thread.root.end, thread.root.unseen);
  }
  if (call.looked.movesBytes) {
    thread.root.counters->bytes += (1 + thread.root.unseen) * frame->slot[GPUINSTR_SLOT_BYTES];
    if (isCopy(*frame->site))
      noteCopy(thread, *frame, thread.root.end, copyEnd);
  }
  lookAfter(thread, call.looked, *frame, result);
  if (call.looked.blocks)
    Hooks.copyBlocked(thread, *frame);
  if (call.looked.isOfMemory && thread.stillDrained)
    guarded([&] { Hooks.drainGoesOn(thread); });
  return true;
}

/// Of one that is not the same as the last.
ALWAYS_INLINE bool leave(ThreadState &thread, gpuinstr_frame *frame, int64_t result) {
  uint64_t word = status(thread);
  if (word == Nested) {
    if (UNLIKELY(thread.frames[1].frame != frame || int32_t(result) != 0 ||
                 thread.timed.frame == frame ||
                 frame->slot[GPUINSTR_SLOT_FUNC] != thread.root.counters->lastKernel))
      return false;
    setStatus(thread, Root);
    return true;
  }
  if (UNLIKELY(word != Root && word != Alone))
    return word == Looked && leaveLooked(thread, frame, int32_t(result));
  RootCall &root = thread.root;
  if (UNLIKELY(thread.frames[0].frame != frame || int32_t(result) != 0 || root.nestedError ||
               thread.timed.frame == frame))
    return false;
  SiteAttribution &attribution = *root.attribution;
  const bool isAlone = word == Alone;
  if (isAlone)
    countUnseen(root);
  if (root.untimed)
    leaveUntimed(thread, attribution);
  else
    noteDuration(thread, attribution, ticks(), isAlone ? root.unseen : 0);
  return true;
}

/// leave(inner) and leave(outer) at once.
ALWAYS_INLINE bool leaveBoth(ThreadState &thread, gpuinstr_frame *outer, gpuinstr_frame *inner,
                             int32_t result) {
  RootCall &root = thread.root;
  if (UNLIKELY(status(thread) != Nested || thread.frames[1].frame != inner ||
               thread.frames[0].frame != outer || result != 0 || root.nestedError ||
               thread.timed.frame != nullptr ||
               inner->slot[GPUINSTR_SLOT_FUNC] != root.counters->lastKernel))
    return false;
  SiteAttribution &attribution = *root.attribution;
  if (root.untimed)
    leaveUntimed(thread, attribution);
  else
    noteDuration(thread, attribution, ticks());
  return true;
}

} // namespace fastpath

} // namespace gpuinstr

#endif
