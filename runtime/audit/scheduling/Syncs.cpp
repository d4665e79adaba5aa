// Synchronisations: which kernels have ended by them, and which waits had nothing to wait for.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Clock.h"
#include "base/HotCode.h"
#include "calls/code/UnseenCode.h"
#include "cuda/Driver.h"
#include <cstring>
#include <utility>

namespace gpuinstr::audit {

namespace {

/// Whether this is the stream that the thread waited for last, or the device with that one alone.
bool isKnown(const SyncPlace &place, const Awaited &o, uint64_t context) {
  if (!place.state || place.generation != Streams::generation.load() || place.context != context)
    return false;
  return o.op == GPUINSTR_OP_SYNC_STREAM   ? place.handle == o.handle
         : o.op == GPUINSTR_OP_SYNC_DEVICE ? place.ofContext && auditor().streams.isOnly()
                                           : false;
}

constexpr uint64_t AnyHandle = ~uint64_t(0); ///< which one, nobody said

/// With the lock held.
void rememberPlace(ThreadAuditState &local, uint64_t handle, StreamState &stream) {
  SyncPlace &place = local.sync;
  bool isSame = place.state == &stream && place.context == local.context &&
                place.generation == Streams::generation.load();
  if (!isSame || handle != AnyHandle)
    place.handle = handle;
  place.context = local.context;
  place.generation = Streams::generation.load();
  place.state = &stream;
  place.isLegacy = stream.legacy;
  place.ofContext = local.context && stream.context == local.context;
}

/// True when all is done: only this stream is waited for, and no hash is on its way.
bool noteSyncedQuickly(Auditor &a, const ThreadAuditState &local, const Awaited &o) {
  const SyncPlace &place = local.sync;
  // A device has others, too, where there are any.
  bool ofAll = place.isLegacy || o.op == GPUINSTR_OP_SYNC_DEVICE;
  if (!local.syncing || local.needless || Auditor::underWay.load() != 0 ||
      a.openGuesses.load(std::memory_order_relaxed) != 0 ||
      place.generation != Streams::generation.load() ||
      !a.streams.syncedAlone(*local.syncing, ofAll, local.syncFrom))
    return false;
  a.streams.allArrived();
  return true;
}

/// Nothing was submitted since the free began. What it waited for proves nothing, though: CUDA does
/// not promise it.
bool isBehindFree(const Auditor &a, const ThreadAuditState &local, const Awaited &o) {
  return local.freed.context && local.freed.context == local.context &&
         o.op != GPUINSTR_OP_SYNC_EVENT && local.freed.launches == Ranges::launches.load() &&
         local.freed.puts == Streams::Puts.load() && a.workSeen();
}

} // namespace

GPUINSTR_HOT void beforeSync(ThreadState &thread, const Awaited &o) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(thread);
  if (!local.context || a.severalContexts.load(std::memory_order_relaxed))
    local.context = currentContext();
  SyncPlace &place = local.sync;
  local.syncFrom = Moment(Ranges::launches.load(), Streams::Puts.load());
  local.needless = isBehindFree(a, local, o);
  local.syncing = isKnown(place, o, local.context) ? place.state : nullptr;
  if (local.needless || (local.syncing && local.syncing->work.load(std::memory_order_relaxed)))
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (o.op == GPUINSTR_OP_SYNC_DEVICE)
    local.needless = a.workSeen() && !a.streams.anyWorkIn(local.context);
  else if (o.op == GPUINSTR_OP_SYNC_STREAM)
    local.needless =
        a.workSeen() && !a.streams.anyWork(a.streams.of(o.handle, local.context, &thread));
  local.needless &= !a.streams.mayBeOnTheirWay();
}

const gpuinstr_frame *frameOf(const Call &call) {
  const unsigned at = call.thread.depth; // it is taken off already, or not yet
  for (unsigned i : {at, at - 1})
    if (i < ThreadState::MaxDepth && call.thread.frames[i].site == &call.site)
      return call.thread.frames[i].frame;
  return nullptr;
}

namespace {

bool isSame(const char *a, const char *b) { return a && b && std::strcmp(a, b) == 0; }

/// Whether `wait` says that the call of that number comes next.
bool saysNext(const gpuinstr_site &wait, uint32_t number) {
  if (!(wait.flags & GPUINSTR_SITE_QUIET_TWO))
    return number == wait.detail;
  return number == (wait.detail & 0xff) || number == wait.detail >> 8;
}

/// A copy or set behind which the host goes on while it waits for its turn, as far as the call
/// says.
bool mayOnlyQueue(const gpuinstr_frame &frame) {
  const CopyDirection direction = cuda::directionOf(*frame.site, slotOf(frame, GPUINSTR_SLOT_KIND));
  return frame.site->flags & GPUINSTR_SITE_ASYNC ||
         (direction != CopyDirection::HostToDevice && direction != CopyDirection::DeviceToHost);
}

/// QuietWait: what a call is for a wait of which `from` says what comes next: nothing, unless it is
/// the first one that was made in that function or its callees, and nothing there could tell before
/// it whether the device was done.
unsigned waysBehind(SiteIndex from, const NextCall &next) {
  const gpuinstr_frame *frame = next.frame;
  if (!frame || !(frame->site->flags & GPUINSTR_SITE_QUIET_IN))
    return 0;
  SitesLock lock; // an exception may have left the wait's library behind, which may go any time
  const gpuinstr_site *wait = siteAt(from);
  // An earlier call of what returned without one of CUDA's may have been the next.
  const uint32_t skips =
      wait && wait->flags & GPUINSTR_SITE_QUIET_ONCE ? 0 : GPUINSTR_SITE_QUIET_SKIPS;
  bool isQuiet = wait && !(frame->site->flags & skips);
  uint32_t behind = frame->site->flags;
  for (unsigned i = 0; isQuiet && i < GPUINSTR_MAX_CALLERS && frame->callers[i]; ++i) {
    const gpuinstr_site &caller = *frame->callers[i];
    behind |= caller.flags;
    if (saysNext(*wait, caller.slots) && isSame(caller.function, wait->function) &&
        isSame(caller.file, wait->file)) {
      if (i + 1 < GPUINSTR_MAX_CALLERS && frame->callers[i + 1])
        behind |= frame->callers[i + 1]->flags;
      const bool mayTell = behind & GPUINSTR_SITE_TELLS_BEHIND && next.site && mayOnlyQueue(*frame);
      return BeforeLaunches | BeforeFree | (mayTell ? 0 : BeforeTransfer);
    }
    isQuiet = caller.flags & GPUINSTR_SITE_QUIET_IN && !(caller.flags & skips);
  }
  return 0;
}

} // namespace

void noteLaunchBehindWait(const ThreadState &thread, ThreadAuditState &local) {
  if (Ranges::launches.load() == local.waitedOrder &&
      waysBehind(local.waitedNext, {thread.frames[0].frame}) & BeforeLaunches)
    local.waitedQuietly = uint8_t((local.waitedQuietly & ~unsigned(BeforeUnseen)) | BeforeLaunches);
}

void settleQuietWait(ThreadState &thread, ThreadAuditState &local, NextCall next) {
  unsigned quiet = std::exchange(local.waitedQuietly, 0);
  if (quiet & BeforeUnseen) {
    const unsigned ways = waysBehind(local.waitedNext, next);
    quiet |= ways;
    local.waitedBeforeFree |= (ways & BeforeFree) != 0; // where it is one
  }
  const bool launched = Ranges::launches.load() != local.waitedOrder;
  if (!local.waitedAt || !(quiet & (launched ? BeforeLaunches : BeforeTransfer)) ||
      (!launched && !next.site))
    return;
  Auditor &a = auditor();
  if (a.severalContexts.load(std::memory_order_relaxed))
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (!launched)
    a.streams.of(next.stream, local.context, &thread); // it may be another
  if (!a.streams.isOnly())
    return;
  if (launched)
    a.advice.needlessBetween(local.waitedAt, local.waitedCaller);
  else
    a.advice.needlessBefore(next.site, local.waitedAt, local.waitedCaller);
}

namespace {

/// QuietWait: calls up to which the host can do nothing that the device's being done matters to, in
/// this function, and where ways lead out of it, in those that called it. `next`: whose detail says
/// which call is the last of them, 0 nobody's.
unsigned quietWays(const gpuinstr_frame *frame, const gpuinstr_site &site, SiteIndex &next) {
  constexpr uint32_t Leaves = GPUINSTR_SITE_QUIET_ALL | GPUINSTR_SITE_QUIET_OUT;
  uint32_t flags = site.flags, found = flags;
  const gpuinstr_site *last = &site; // null: not known
  for (unsigned i = 0; (flags & Leaves) == Leaves; ++i, found |= flags) {
    last = frame && i < GPUINSTR_MAX_CALLERS ? frame->callers[i] : nullptr;
    flags = last ? last->flags : 0;
  }
  if ((flags & Leaves) == GPUINSTR_SITE_QUIET_ALL)
    return BeforeLaunches | BeforeTransfer | BeforeFree;
  next = last && last->detail ? indexOf(last) : 0;
  return (found & GPUINSTR_SITE_QUIET ? BeforeLaunches : 0) | (next ? BeforeUnseen : 0);
}

/// For which calls behind it the wait may be needless: those that leave the host no way to notice
/// that the device is not done yet.
uint8_t quietlyBefore(Auditor &a, ThreadAuditState &local, const gpuinstr_site &site,
                      const gpuinstr_frame *frame) {
  constexpr uint32_t Quiet = GPUINSTR_SITE_QUIET | GPUINSTR_SITE_QUIET_ALL;
  if ((!(site.flags & Quiet) && !site.detail) || a.sharesMemory.load(std::memory_order_relaxed))
    return 0;
  std::unique_lock<AuditMutex> lock(a.mutex);
  const auto before = local.shared;
  local.shared = {a.ranges.sharedUses(), Streams::ForHost};
  const auto &now = local.shared;
  lock.unlock();
  if (now.uses.tooMany || now.forHost != before.forHost || now.uses.passed != before.uses.passed)
    return 0;
  const unsigned ways = quietWays(frame, site, local.waitedNext);
  const bool isAlone = now.uses.all == before.uses.all && a.streams.isOnly();
  return uint8_t(isAlone ? ways : ways & BeforeFree);
}

/// The call that follows may show that this wait was needless.
void noteWaited(Auditor &a, ThreadAuditState &local, ThreadState &thread, const gpuinstr_site &site,
                const gpuinstr_frame *frame) {
  if (local.needless || thread.paused || site.op == GPUINSTR_OP_SYNC_EVENT)
    return;
  local.waitedAt = thread.root.site;
  local.waitedCaller = thread.root.caller;
  local.waitedOrder = Ranges::launches.load();
  const unsigned quiet = quietlyBefore(a, local, site, frame);
  local.waitedBeforeFree = quiet & BeforeFree;
  local.waitedQuietly = uint8_t(quiet & ~unsigned(BeforeFree));
  if (quiet & BeforeUnseen)
    thread.launches.last.slots = 0; // so that the next one is looked at
}

/// Another thread may launch what polls until this one goes on: it waits for the device then, or
/// there is none.
bool isTimeForEngine(Auditor &a, const ThreadAuditState &local, const Awaited &o) {
  return mayWantEngine(a, local.context) &&
         (o.op == GPUINSTR_OP_SYNC_DEVICE || !Auditor::severalThreads.load()) &&
         isWorthTrying(a, local.context);
}

/// `also()`: what else is to be done with the lock held.
template <class Also>
void noteEnded(Auditor &a, ThreadAuditState &local, const ThreadState &thread, const Awaited &o,
               Also also) {
  if (!local.context) // the thread's first call
    local.context = currentContext();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.noteContext(local.context);
  if (o.op == GPUINSTR_OP_SYNC_DEVICE) {
    a.streams.syncedContext(local.context, local.syncFrom);
    if (StreamState *only = a.streams.only())
      rememberPlace(local, AnyHandle, *only);
  } else if (o.op == GPUINSTR_OP_SYNC_STREAM) {
    StreamState &stream = a.streams.of(o.handle, local.context, &thread);
    a.streams.synced(stream, local.syncFrom);
    rememberPlace(local, o.handle, stream);
  } else {
    a.streams.eventDone(o.handle);
  }
  if (o.op != GPUINSTR_OP_SYNC_EVENT)
    a.streams.allArrived();
  a.poll();
  also();
}

/// What the host waited for may be the work of code that is closed when next somebody asks. Of
/// short waits only the first ask, and some of the others: what was found once is known for good.
void askWhoIsThere(ThreadAuditState &local, uint64_t ticks) {
  constexpr double LongNs = 20e3;
  constexpr uint32_t First = 64, Seldom = 16;
  static const uint64_t longTicks = uint64_t(LongNs / nsPerTick());
  const uint32_t number = local.waits++;
  if (ticks >= longTicks || number < First || number % Seldom == 0)
    unseenCodeRunsKernels();
}

} // namespace

void noteSynced(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  const Awaited awaited(call.operands);
  if (call.result != 0)
    return;
  askWhoIsThere(local, ticks);
  noteWaited(a, local, call.thread, call.site, frameOf(call));
  if (__builtin_expect(local.downloadCount != 0, false))
    takeDownloads(call, local);
  if (!noteSyncedQuickly(a, local, awaited))
    noteEnded(a, local, call.thread, awaited, [&] {
      if (local.needless && !call.thread.paused)
        a.advice.needless(call, ticks);
    });
  if (isTimeForEngine(a, local, awaited))
    tryEngineIfIdle(a, local.context);
  if (a.openGuesses.load(std::memory_order_relaxed))
    confirmGuesses(a, call, local);
  if (a.rewritten.load(std::memory_order_relaxed) && awaited.op != GPUINSTR_OP_SYNC_EVENT)
    lookAtRewritten(a, call, local);
}

// ---- Where they come again and again ----

namespace {

/// False: it has something to find, or to wait for in vain.
GPUINSTR_HOT bool beforeShortSync(ThreadState &thread, const gpuinstr_frame &frame) {
  if (CaptureTrust::isOn() || auditor().openGuesses.load(std::memory_order_relaxed) != 0 ||
      auditor().rewritten.load(std::memory_order_relaxed))
    return false;
  ThreadAuditState &local = beginLook(thread, true, &frame);
  local.needless = true;
  if (local.downloadCount == 0)
    look(thread, [&] { beforeSync(thread, Awaited(frame)); });
  return !local.needless;
}

GPUINSTR_HOT void afterShortSync(ThreadState &thread, const gpuinstr_frame &frame, int32_t result) {
  if (result != 0)
    return;
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(thread);
  const Awaited awaited(frame);
  askWhoIsThere(local, thread.root.end - thread.root.start);
  noteWaited(a, local, thread, *frame.site, &frame);
  const bool isDone = noteSyncedQuickly(a, local, awaited);
  const bool tries = isTimeForEngine(a, local, awaited);
  if (isDone && !tries)
    return;
  UncancelledScope uncancelled; // while an engine is made
  look(thread, [&] {
    if (!isDone)
      noteEnded(a, local, thread, awaited, [] {});
    if (tries)
      tryEngineIfIdle(a, local.context);
  });
}

GPUINSTR_HOT_DATA ShortLook Waits = {beforeShortSync, afterShortSync};

} // namespace

const ShortLook *shortLookAtSync(const gpuinstr_site &) { return &Waits; }

} // namespace gpuinstr::audit
