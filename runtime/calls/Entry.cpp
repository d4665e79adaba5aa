// The hot path: what instrumented code calls around every CUDA call.
// SPDX-License-Identifier: Apache-2.0
#include "calls/Entry.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "calls/CallHooks.h"
#include "calls/CudaState.h"
#include "calls/Observer.h"
#include "calls/budget/WatchWindows.h"
#include "calls/fast/FastLaunchPath.h"
#include "calls/sites/CallerRows.h"
#include "calls/sites/Kernels.h"
#include "calls/threads/DecodedOperands.h"
#include "calls/threads/Thread.h"
#include "cuda/errors/ErrorNames.h"
#include "options/Options.h"
#include <new>

namespace gpuinstr {

namespace {

constexpr uint32_t ReturnsStatus =
    GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;

/// Operations that mean something without operands.
constexpr uint64_t NeedNoOperands =
    opBit(GPUINSTR_OP_GET_ERROR) | opBit(GPUINSTR_OP_PEEK_ERROR) | opBit(GPUINSTR_OP_RESET_DEVICE) |
    opBit(GPUINSTR_OP_SYNC_DEVICE) | opBit(GPUINSTR_OP_LIBRARY) | opBit(GPUINSTR_OP_PROFILER);

/// Nothing instrumented runs inside these but what a CUDA header holds.
bool isLeaf(const gpuinstr_site &site) {
  return site.slots != 0 && site.op != GPUINSTR_OP_REGION && site.op != GPUINSTR_OP_LIBRARY;
}

/// Whether a call in progress was in fact left by an exception or longjmp, or belongs to another
/// stack. Frames cannot be compared by address: inlined functions share one stack frame, in any
/// order. The stack pointer can: while a call is in progress it never rises.
bool isStale(const LiveFrame &live, const gpuinstr_frame *frame, uintptr_t stack) {
  return wasLeft(live, stack) || live.frame == frame ||
         (isLeaf(*live.site) && !(frame->site->flags & GPUINSTR_SITE_INNER));
}

/// What the outermost call is attributed to: its site and the line that called its function; of a
/// wrapper's call the line that uses the wrapper.
inline void attributeRoot(ThreadState &thread, const gpuinstr_frame &frame) {
  const gpuinstr_site *site = frame.site, *caller = frame.callers[0];
  constexpr uint32_t ToCaller = GPUINSTR_SITE_CHARGE_CALLER | GPUINSTR_SITE_WRAPPER;
  if (caller && UNLIKELY((site->flags & ToCaller) || frame.callers[1])) {
    attributeToCallers(thread, frame);
    return;
  }
  thread.root.site = indexOf(site);
  thread.root.caller = indexOf(caller);
}

inline bool doesAnything(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_OTHER && site.detail == DoesAnything;
}

inline bool isOneOf(uint64_t operations, const gpuinstr_site &site) {
  uint64_t bit = opBit(site.op & 63);
  return (operations & bit) && (site.slots != 0 || (NeedNoOperands & bit) || doesAnything(site));
}
inline bool observedBefore(const gpuinstr_site &site) {
  return isOneOf(ObservedBefore.load(std::memory_order_relaxed), site);
}
inline bool observedAfter(const gpuinstr_site &site) {
  return isOneOf(ObservedAfter.load(std::memory_order_relaxed), site);
}

/// A leaf that does work on the device, whose turn it is to be timed.
inline bool dueForTiming(ThreadState &thread, const gpuinstr_site &site) {
  uint64_t timed = TimedOperations.load(std::memory_order_relaxed);
  if (!(timed & opBit(site.op & 63)) || site.slots == 0)
    return false;
  // An inline wrapper's operation is its caller's.
  for (uint32_t i = 0; UNLIKELY(i + 1 < thread.depth); ++i)
    if (isLeaf(*thread.frames[i].site) && (timed & opBit(thread.frames[i].site->op & 63)))
      return false;
  return thread.root.counters->takeTurn();
}

/// What the thread knows from before holds no longer once calls have gone unseen, or do.
inline void noteWatchEpoch(ThreadState &thread, const gpuinstr_site &site) {
  const uint32_t epoch = WatchEpoch.load(std::memory_order_relaxed);
  if (LIKELY(thread.watchEpoch == epoch))
    return;
  thread.drainedTicks = 0;
  Hooks.watchChanged(thread);
  if (site.op == GPUINSTR_OP_CAPTURE_BEGIN)
    endUnseen(); // what goes into a graph is seen, for it is launched again and again
  if (!(epoch & 1))
    thread.watchEpoch = epoch;
}

/// What the tool itself does inside the root call is not the program's time.
inline void takeOffOwnTime(ThreadState &thread, uint64_t ownTicks) {
  thread.ownTicks += ownTicks;
  thread.root.start += ownTicks;
}

inline void enterRoot(ThreadState &thread, gpuinstr_frame &frame) {
  if (UNLIKELY(thread.state != GlobalState.load(std::memory_order_relaxed)))
    syncThread(thread);
  RootCall &root = thread.root;
  attributeRoot(thread, frame);
  root.nestedError = 0;
  root.untimed = false;
  SiteCounters *counters = thread.counters.find(root.site);
  if (UNLIKELY(!counters || counters->epoch != thread.epoch))
    counters = prepareCounters(thread, root.site, indexOf(frame.site));
  root.counters = LIKELY(!thread.paused) ? counters : &thread.discard;
}

inline void countRoot(ThreadState &thread, uint64_t end, bool failed) {
  RootCall &root = thread.root;
  SiteCounters &counters = *root.counters;
  uint64_t duration = LIKELY(end > root.start) ? end - root.start : 0;
  counters.calls += 1;
  if (UNLIKELY(failed))
    counters.failed += 1;
  if (UNLIKELY(counters.caller != root.caller)) {
    if (counters.calls == 1)
      counters.caller = root.caller;
    else
      counters.manyCallers = true;
  }
  fastpath::countUnseen(root);
  if (root.untimed)
    return;
  if (UNLIKELY(counters.takesFirst)) {
    counters.takesFirst = false;
    counters.host.addFirst(duration);
  } else {
    counters.host.add(duration, 1 + root.unseen);
  }
}

/// Drops calls that never left. The ones that did not nest in anything else take their NVTX range
/// with them.
__attribute__((noinline)) void dropStale(ThreadState &thread, const gpuinstr_frame *frame,
                                         uintptr_t stack) {
  while (thread.depth && isStale(thread.frames[thread.depth - 1], frame, stack)) {
    if (thread.timed.frame == thread.frames[thread.depth - 1].frame)
      Hooks.dropTimed(thread);
    if (--thread.depth == 0) {
      thread.fastPath = FastPath::None;
      if (UNLIKELY(thread.root.ranged))
        Hooks.popRange();
    }
  }
}

/// A leave that does not match the top: the ones above were left by an exception.
__attribute__((noinline)) bool unwindTo(ThreadState &thread, const gpuinstr_frame *frame) {
  for (uint32_t i = thread.depth; i-- > 0;)
    if (thread.frames[i].frame == frame) {
      thread.depth = i + 1;
      return true;
    }
  return false;
}

GPUINSTR_HOT __attribute__((noinline)) void leaveSlow(ThreadState &thread,
                                                      const gpuinstr_site &site,
                                                      gpuinstr_frame *frame, int64_t result,
                                                      bool failed) {
  bool isRoot = thread.depth == 0;
  UncancelledScope uncancelled;
  // First of all: what follows must not come between the operation and its second event.
  if (thread.timed.frame == frame)
    Hooks.endTimed(thread, *frame, failed);
  // The root may be a region, or the line that a wrapper's call is attributed to: neither says by
  // itself that CUDA was called.
  if (thread.notUp && site.op != GPUINSTR_OP_REGION)
    guarded([&] { noteCudaCall(thread.root.site); });
  // First of all, so that the very first allocation finds the driver.
  if (thread.notUp && !failed && (site.flags & ReturnsStatus))
    guarded([&] { noteSuccess(thread, site); });
  if (observedAfter(site))
    observeAfter(thread, *frame, result);
  if (site.op == GPUINSTR_OP_LAUNCH && (site.slots >> GPUINSTR_SLOT_FUNC & 1) && !failed &&
      !isNotedKernel(thread, frame->slot[GPUINSTR_SLOT_FUNC]))
    guarded([&] { noteKernel(thread, *frame); });
  if (failed && !isRoot && site.op == GPUINSTR_OP_LAUNCH) {
    thread.root.nestedError = int32_t(result);
    thread.root.nestedIsDriver = site.flags & GPUINSTR_SITE_CU_RESULT;
  }
  if (isRoot && (failed || thread.root.nestedError))
    guarded([&] { Hooks.callFailed(thread, site, int32_t(result)); });
}

/// Device times that are neither sampled nor off note each call.
bool eachCallIsNoted() {
  static const options::GpuTimeMode times = options::options().gpu_time;
  bool each = times != options::GpuTimeMode::Sampled && times != options::GpuTimeMode::Off;
  return each || ExactOperations.load(std::memory_order_relaxed);
}

/// Whoever looks at every single launch needs the long way, also for what stands around it.
bool launchesAreLookedAt() {
  return ObservedAfter.load(std::memory_order_relaxed) & opBit(GPUINSTR_OP_LAUNCH);
}

/// The entry of an outermost call that may repeat, null: it has one, or can have none yet.
SiteAttribution *newRepeatedCall(ThreadState &thread, const gpuinstr_frame &frame, uint64_t callers,
                                 bool launches) {
  const gpuinstr_site &site = *frame.site;
  const uint64_t function = launches ? frame.slot[GPUINSTR_SLOT_FUNC] : 0;
  LookMemo looked = {};
  if (launches) {
    if (launchesAreLookedAt() || !isNotedKernel(thread, function))
      return nullptr;
  } else {
    constexpr uint32_t SaysError = GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT;
    looked.takesTurns = fastpath::TakesTurns >> (site.op & 63) & 1;
    constexpr uint64_t SaysBytes = fastpath::MovesBytes | opBit(GPUINSTR_OP_ALLOC);
    looked.movesBytes = SaysBytes >> (site.op & 63) & 1;
    looked.isOfMemory = fastpath::isOfMemory(site);
    const bool saysBytes = site.slots >> GPUINSTR_SLOT_BYTES & 1;
    if (!(site.flags & SaysError) || (looked.movesBytes && !saysBytes) ||
        !findShortLooks(site, looked))
      return nullptr;
  }
  RepeatedCalls *all = thread.repeatedCalls.load(std::memory_order_relaxed);
  if (!all) {
    BusyScope busy(thread);
    all = new (std::nothrow) RepeatedCalls;
    if (!all)
      return nullptr;
    thread.repeatedCalls.store(all, std::memory_order_release);
  }
  RepeatedCall &call = all->placeFor(frame.site, callers, function, nextRandom(thread));
  if (call.is(frame.site, callers, function) && call.attribution.state == thread.state)
    return nullptr;
  call.memo = LaunchMemo();
  call.memo.function = function;
  if (!launches)
    call.looked = looked;
  return &call.attribution;
}

/// The next call of this site, from the same place, has nothing to find out any more.
void remember(ThreadState &thread, const gpuinstr_frame &frame) {
  const RootCall &root = thread.root;
  const gpuinstr_site *site = frame.site;
  const bool launches = fastpath::isLaunch(*site);
  if ((site->slots != 0 && !launches && !fastpath::mayRepeat(*site)) || thread.paused ||
      thread.notUp || NvtxActive.load(std::memory_order_relaxed) ||
      root.counters == &thread.discard || eachCallIsNoted())
    return;
  const uint64_t callers = fastpath::callersOf(frame);
  SiteAttribution *place = nullptr;
  if (site->slots != 0 || site->op == GPUINSTR_OP_SYNC_DEVICE)
    place = newRepeatedCall(thread, frame, callers, launches);
  else if (!observedAfter(*site) && !launchesAreLookedAt())
    place = &fastpath::attributionOf(thread, site, callers);
  if (!place)
    return;
  SiteAttribution &attribution = *place;
  if (attribution.untimed) // of the site that had the place
    attribution.counters->calls += attribution.untimed;
  attribution.untimed = attribution.skip = 0;
  attribution.left = TimedBlock;
  attribution.weight = 1;
  attribution.blockTicks = 0;
  attribution.blockEnd = root.start;
  attribution.site = site;
  attribution.callers = callers;
  attribution.counters = root.counters;
  attribution.chargedSite = root.site;
  attribution.chargedCaller = root.caller;
  attribution.state = thread.state;
}

GPUINSTR_HOT void enterNew(gpuinstr_frame *frame, uintptr_t stack) {
  ThreadState *thread = Self;
  if (UNLIKELY(!thread)) {
    StackRoom room;
    thread = room.suffices(stack) ? attachThread() : nullptr;
    if (!thread)
      return;
    thread->stackRoom = room;
  }
  if (UNLIKELY(thread->busy || !thread->stackRoom.suffices(stack)))
    return;
  if (thread->depth && UNLIKELY(isStale(thread->frames[thread->depth - 1], frame, stack)))
    dropStale(*thread, frame, stack);
  if (UNLIKELY(thread->depth == ThreadState::MaxDepth))
    return;
  const gpuinstr_site *site = frame->site;
  bool isRoot = thread->depth == 0;
  bool wasFast = thread->fastPath != FastPath::None;
  thread->decoded &= wasFast ? 0 : ~(uint64_t(1) << thread->depth); // former calls'
  thread->frames[thread->depth++] = {frame, site, stack};
  thread->fastPath = FastPath::None; // also of a root: only a launch inside it may leave on it
  if (LIKELY(isRoot)) {
    noteWatchEpoch(*thread, *site);
    enterRoot(*thread, *frame);
    fastpath::takeUnseen(*thread, *site);
    thread->stillDrained = thread->drainedTicks != 0;
    if (UNLIKELY(thread->stillDrained)) {
      Hooks.drainEnded(*thread);
      thread->drainedTicks = 0;
    }
  }
  uint64_t ownStart = 0;
  if (UNLIKELY(observedBefore(*site))) {
    ownStart = ticks();
    observeBefore(*thread, *frame);
  }
  if (site->op == GPUINSTR_OP_LAUNCH && site->slots)
    if (auto *hook = LaunchHook.load(std::memory_order_acquire))
      hook(*thread, *frame);
  if (UNLIKELY(dueForTiming(*thread, *site))) {
    Hooks.beginTimed(*thread, *frame);
    if (!isRoot)
      takeOffOwnTime(*thread, thread->timed.ownTicks);
    else if (!ownStart)
      thread->ownTicks += thread->timed.ownTicks;
  }
  if (UNLIKELY(ExactOperations.load(std::memory_order_relaxed) & opBit(site->op & 63)))
    Hooks.beginExact(*thread, *frame);
  if (LIKELY(isRoot)) {
    thread->root.ranged = NvtxActive.load(std::memory_order_relaxed);
    if (UNLIKELY(thread->root.ranged))
      Hooks.pushRange(thread->root.site, *frame);
    thread->root.start = ticks();
    if (UNLIKELY(ownStart)) {
      thread->root.start -= thread->waitedTicks;
      thread->ownTicks += thread->root.start - ownStart;
    }
  } else if (observedAfter(*site)) {
    thread->nestedStarts[thread->depth - 1] = ticks();
  }
}

// Nothing may pass through the program's frames. Until something is thrown this costs nothing.
GPUINSTR_HOT __attribute__((noinline)) void enterSlow(gpuinstr_frame *frame, uintptr_t stack) {
  guarded([&] { enterNew(frame, stack); });
}

GPUINSTR_HOT void leaveTop(gpuinstr_frame *frame, int64_t result) {
  ThreadState *thread = Self;
  if (UNLIKELY(thread->busy || thread->depth == 0))
    return;
  // Only roots are timed; a stamp is the dearest part of a leave.
  uint64_t end = thread->depth == 1 ? ticks() : 0;
  if (UNLIKELY(thread->frames[thread->depth - 1].frame != frame) && !unwindTo(*thread, frame))
    return;
  const gpuinstr_site &site = *thread->frames[--thread->depth].site;
  if (UNLIKELY(thread->depth == 0 && thread->root.untimed)) {
    const bool isLooked = thread->fastPath == FastPath::RootLooked;
    end = end ? end : ticks();
    fastpath::takeForUsual(thread->root, isLooked ? lookedOf(*thread).usualTicks : 0, end);
  }
  if (thread->fastPath != FastPath::None && thread->timed.frame != frame)
    forgetOperandsAt(*thread, thread->depth); // entered on the short way, which decodes nothing
  if (UNLIKELY(thread->exact.frame == frame))
    Hooks.endExact(*thread, int32_t(result) != 0 && (site.flags & ReturnsStatus));
  bool failed = UNLIKELY(int32_t(result) != 0) && (site.flags & ReturnsStatus) &&
                isError(int32_t(result), site);
  bool isRoot = thread->depth == 0;
  // Launches that nothing stands around take the fast path only where the kernel is noted.
  bool launches =
      site.op == GPUINSTR_OP_LAUNCH && (site.slots >> GPUINSTR_SLOT_FUNC & 1) &&
      (isRoot || frame->slot[GPUINSTR_SLOT_FUNC] != thread->root.counters->lastKernel) &&
      !isNotedKernel(*thread, frame->slot[GPUINSTR_SLOT_FUNC]);
  if (UNLIKELY(failed || launches || thread->notUp || observedAfter(site) ||
               thread->timed.frame == frame || (isRoot && thread->root.nestedError))) {
    uint64_t ownStart = end ? end : ticks();
    thread->root.end = ownStart;
    leaveSlow(*thread, site, frame, result, failed);
    if (isRoot)
      thread->ownTicks += ticks() - ownStart;
    else
      takeOffOwnTime(*thread, ticks() - ownStart);
  }
  if (LIKELY(isRoot)) {
    if (UNLIKELY(end == 0)) // the calls inside were left by an exception
      end = ticks();
    if (fastpath::isCopy(site))
      fastpath::noteCopy(*thread, *frame, end, ticks());
    if (UNLIKELY(thread->root.ranged))
      Hooks.popRange();
    countRoot(*thread, end, failed || thread->root.nestedError);
    thread->fastPath = thread->drainedTicks ? FastPath::Drained : FastPath::None;
    remember(*thread, *frame);
  }
}

GPUINSTR_HOT __attribute__((noinline)) void leaveAny(gpuinstr_frame *frame, int64_t result) {
  guarded([&] { leaveTop(frame, result); });
}

void countCall(const gpuinstr_site *site) {
  ThreadState *thread = thisThread();
  if (!thread || thread->busy || thread->depth)
    return;
  if (UNLIKELY(thread->state != GlobalState.load(std::memory_order_relaxed)))
    syncThread(*thread);
  SiteIndex index = indexOf(site);
  SiteCounters *counters = thread->counters.find(index);
  if (!counters || counters->epoch != thread->epoch)
    counters = prepareCounters(*thread, index, index);
  if (!thread->paused)
    counters->calls += 1;
}

} // namespace

void fastpath::dueLaunch(ThreadState &thread, const gpuinstr_frame &frame) {
  if (!(TimedOperations.load(std::memory_order_relaxed) & opBit(GPUINSTR_OP_LAUNCH)))
    return;
  forgetOperandsAt(thread, thread.depth - 1);
  Hooks.beginTimed(thread, frame);
  takeOffOwnTime(thread, thread.timed.ownTicks);
}

static ALWAYS_INLINE void enterFrom(gpuinstr_frame *frame, uintptr_t stack) {
  ThreadState *thread = Self;
  if (UNLIKELY(!thread) || UNLIKELY(!fastpath::enter(*thread, frame, stack)))
    enterSlow(frame, stack);
}

GPUINSTR_HOT void enter(gpuinstr_frame *frame) {
  enterFrom(frame, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

/// `stack` is where the caller's caller stands: both frames are its.
GPUINSTR_HOT static __attribute__((noinline)) void
enterInTurn(gpuinstr_frame *outer, gpuinstr_frame *inner, uintptr_t stack) {
  if (Self && fastpath::enterBoth<fastpath::Drained>(*Self, outer, inner, stack))
    return;
  enterFrom(outer, stack);
  enterFrom(inner, stack);
}

GPUINSTR_HOT void enterLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner) {
  ThreadState *thread = Self;
  auto stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (UNLIKELY(!thread) || UNLIKELY(!fastpath::enterBoth(*thread, outer, inner, stack)))
    enterInTurn(outer, inner, stack);
}

GPUINSTR_HOT static __attribute__((noinline)) void
leaveThread(ThreadState &thread, gpuinstr_frame *frame, int64_t result) {
  if (UNLIKELY(!fastpath::leave(thread, frame, result)))
    leaveAny(frame, result);
}

GPUINSTR_HOT static __attribute__((noinline)) void
leaveSame(ThreadState &thread, gpuinstr_frame *frame, int64_t result) {
  if (UNLIKELY(!fastpath::leaveSame(thread, frame, int32_t(result))))
    leaveThread(thread, frame, result);
}

/// What the longer ways need in registers is not to be saved for the shortest.
GPUINSTR_HOT void leave(gpuinstr_frame *frame, int64_t result) {
  ThreadState *thread = Self;
  if (UNLIKELY(!thread))
    return;
  if (fastpath::status(*thread) == fastpath::Same)
    return leaveSame(*thread, frame, result);
  leaveThread(*thread, frame, result);
}

GPUINSTR_HOT void leaveLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner, int64_t result) {
  ThreadState *thread = Self;
  if (UNLIKELY(!thread) || LIKELY(fastpath::leaveBoth(*thread, outer, inner, int32_t(result))))
    return;
  leave(inner, result);
  leave(outer, 0);
}

void count(const gpuinstr_site *site) {
  guarded([&] { countCall(site); });
}

} // namespace gpuinstr
